"""A model server with the API of OpenAI over a model of random weights that is made on the spot: what it says is noise, and real tokens."""

import sys
import threading

import gguf
import numpy
import xllamacpp

WIDTH, LAYERS, HEADS, FEED = 64, 2, 4, 128
# 256 pieces for bytes come behind the three that every vocabulary has.
SPECIAL = ["<unk>", "<s>", "</s>"]
PIECES = SPECIAL + [f"<0x{byte:02X}>" for byte in range(256)] + [chr(letter) for letter in range(ord("a"), ord("z") + 1)]


def write_model(path: str) -> None:
    random = numpy.random.default_rng(7)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(512)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(PIECES)
    writer.add_token_scores([0.0] * len(PIECES))
    kinds = gguf.TokenType
    writer.add_token_types(
        [kinds.UNKNOWN, kinds.CONTROL, kinds.CONTROL]
        + [kinds.BYTE if piece.startswith("<0x") else kinds.NORMAL for piece in PIECES[len(SPECIAL) :]]
    )
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)

    def weights(name: str, *shape: int) -> None:
        writer.add_tensor(name, random.normal(0, 0.05, shape).astype(numpy.float32))

    weights("token_embd.weight", len(PIECES), WIDTH)
    weights("output.weight", len(PIECES), WIDTH)
    writer.add_tensor("output_norm.weight", numpy.ones(WIDTH, numpy.float32))
    for layer in range(LAYERS):
        for norm in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{norm}.weight", numpy.ones(WIDTH, numpy.float32))
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            weights(f"blk.{layer}.{part}.weight", WIDTH, WIDTH)
        for part in ("ffn_gate", "ffn_up"):
            weights(f"blk.{layer}.{part}.weight", FEED, WIDTH)
        weights(f"blk.{layer}.ffn_down.weight", WIDTH, FEED)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main(path: str, port: str, address: str = "127.0.0.1") -> None:
    write_model(path)
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.hostnames = [address]
    params.port = int(port)
    params.n_ctx = 512
    params.n_parallel = 1
    params.warmup = False
    params.model_alias = {"noise"}
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    threading.Event().wait()


main(*sys.argv[1:])
