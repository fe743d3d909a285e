"""Calls a model server with the public client of OpenAI, streaming, and prints what it got as JSON."""

import json
import sys

import openai

url, host, token = sys.argv[1:]


def client(key: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{url}/v1", api_key=key, default_headers={"Host": host}, max_retries=0)


called = client(token)
chunks, usage = 0, None
for chunk in called.chat.completions.create(
    model="noise",
    messages=[{"role": "user", "content": "hello"}],
    max_tokens=8,
    stream=True,
    stream_options={"include_usage": True},
):
    chunks += 1
    usage = chunk.usage or usage
whole = called.chat.completions.create(
    model="noise", messages=[{"role": "user", "content": "hello"}], max_tokens=4
).usage
try:
    client("nobody").models.list()
    refused = 200
except openai.APIStatusError as error:
    refused = error.status_code
print(
    json.dumps(
        {
            "models": [model.id for model in called.models.list()],
            "chunks": chunks,
            "input": usage.prompt_tokens + whole.prompt_tokens,
            "output": usage.completion_tokens + whole.completion_tokens,
            "refused": refused,
        }
    )
)
