drop function dead_letter_confirm(uuid, text, bigint, integer, text);
