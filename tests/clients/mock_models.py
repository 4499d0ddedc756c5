"""OpenAI's and Anthropic's own clients against the mock models: what they read is what was scripted."""

import json
import os
import urllib.request

import anthropic
import openai

MOCK = os.environ["MOCK_URL"]
TOOL = {"type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]}


def script(*replies):
    request = urllib.request.Request(f"{MOCK}/__script", json.dumps(list(replies)).encode(), method="POST")
    urllib.request.urlopen(request).read()


def same(found, wanted):
    if found != wanted:
        raise SystemExit(f"expected {wanted!r}, found {found!r}")


CALL = {"calls": [{"id": "call_7", "name": "calculator", "arguments": {"expression": "6*7"}}]}
WORDS = {"text": "It is 42. Grüße 😀", "usage": {"input": 30, "output": 5}}


def openai_chat():
    client = openai.OpenAI(api_key="sk-mock", base_url=f"{MOCK}/v1", max_retries=0)
    ask = {"model": "mock", "messages": [{"role": "user", "content": "6*7?"}]}
    tools = [{"type": "function", "function": {"name": "calculator", "parameters": TOOL}}]
    script(WORDS, CALL, WORDS, CALL)
    whole = client.chat.completions.create(**ask)
    same((whole.choices[0].message.content, whole.choices[0].finish_reason), (WORDS["text"], "stop"))
    same((whole.usage.prompt_tokens, whole.usage.completion_tokens), (30, 5))
    call = client.chat.completions.create(**ask, tools=tools).choices[0].message.tool_calls[0]
    same((call.id, call.function.name, json.loads(call.function.arguments)), ("call_7", "calculator", {"expression": "6*7"}))
    chunks = list(client.chat.completions.create(**ask, stream=True, stream_options={"include_usage": True}))
    same("".join(c.choices[0].delta.content or "" for c in chunks if c.choices), WORDS["text"])
    same(chunks[-1].usage.prompt_tokens, 30)
    arguments = ""
    for chunk in client.chat.completions.create(**ask, stream=True, tools=tools):
        for piece in (chunk.choices[0].delta.tool_calls or []) if chunk.choices else []:
            arguments += piece.function.arguments or ""
    same(json.loads(arguments), {"expression": "6*7"})


def openai_responses():
    client = openai.OpenAI(api_key="sk-mock", base_url=f"{MOCK}/v1", max_retries=0)
    script(WORDS, WORDS)
    whole = client.responses.create(model="mock", input="6*7?")
    same((whole.output_text, whole.usage.input_tokens), (WORDS["text"], 30))
    events = list(client.responses.create(model="mock", input="6*7?", stream=True))
    same("".join(e.delta for e in events if e.type == "response.output_text.delta"), WORDS["text"])
    same(events[-1].type, "response.completed")


def openai_rest():
    client = openai.OpenAI(api_key="sk-mock", base_url=f"{MOCK}/v1", max_retries=0)
    same(len(client.embeddings.create(model="mock", input=["a", "b"], encoding_format="float").data), 2)
    if not list(client.models.list()):
        raise SystemExit("the mock has no models")
    script({"fault": "tooMany:zero"})
    try:
        client.chat.completions.create(model="mock", messages=[{"role": "user", "content": "hi"}])
    except openai.RateLimitError:
        return
    raise SystemExit("a fault of the script did not reach the client")


def anthropic_messages():
    client = anthropic.Anthropic(api_key="sk-mock", base_url=MOCK, max_retries=0)
    ask = {"model": "mock", "max_tokens": 100, "messages": [{"role": "user", "content": "6*7?"}]}
    script(WORDS, CALL, WORDS, CALL)
    whole = client.messages.create(**ask)
    same((whole.content[0].text, whole.stop_reason, whole.usage.input_tokens), (WORDS["text"], "end_turn", 30))
    tools = [{"name": "calculator", "input_schema": TOOL}]
    called = client.messages.create(**ask, tools=tools)
    block = next(block for block in called.content if block.type == "tool_use")
    same((block.id, block.name, block.input, called.stop_reason), ("call_7", "calculator", {"expression": "6*7"}, "tool_use"))
    with client.messages.stream(**ask) as stream:
        same("".join(stream.text_stream), WORDS["text"])
        same(stream.get_final_message().usage.output_tokens, 5)
    with client.messages.stream(**ask, tools=tools) as stream:
        block = next(block for block in stream.get_final_message().content if block.type == "tool_use")
        same(block.input, {"expression": "6*7"})


for check in (openai_chat, openai_responses, openai_rest, anthropic_messages):
    check()
    print(f"ok {check.__name__}")
