"""OpenAI's own client against Heddle: an active chat is a model."""

import json
import os
import urllib.request

import openai

URL, KEY, MOCK = os.environ["HEDDLE_URL"], os.environ["HEDDLE_KEY"], os.environ["MOCK_URL"]


def post(url, body, headers=None):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json", **(headers or {})}, method="POST")
    return json.loads(urllib.request.urlopen(request).read() or "{}")


def api(path, body):
    return post(f"{URL}/api/v1{path}", body, {"x-n8n-api-key": KEY})


def script(*replies):
    post(f"{MOCK}/__script", list(replies))


def same(found, wanted):
    if found != wanted:
        raise SystemExit(f"expected {wanted!r}, found {found!r}")


def node(name, kind, version, parameters, **rest):
    return {"id": name, "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters, **rest}


def workflow():
    key = api("/credentials", {"name": "mock", "type": "openAiApi", "data": {"apiKey": "sk-mock", "url": f"{MOCK}/v1"}})
    credential = {"openAiApi": {"id": key["id"], "name": "mock"}}
    to = lambda kind: {kind: [[{"node": "Agent", "type": kind, "index": 0}]]}
    made = api("/workflows", {
        "name": "Support agent",
        "nodes": [
            node("Chat", "@n8n/n8n-nodes-langchain.chatTrigger", 1.4, {"options": {}}, webhookId="sdk"),
            node("Agent", "ai-agent", 1, {"userMessage": "={{ $json.chatInput }}"}),
            node("Model", "openai-model", 1, {"model": "gpt-4o"}, credentials=credential),
            node("Calculator", "calculator-tool", 1, {}),
            node("Vectors", "@n8n/n8n-nodes-langchain.embeddingsOpenAi", 1.2, {"model": "text-embedding-3-small", "options": {}}, credentials=credential),
        ],
        "connections": {"Chat": to("main"), "Model": to("ai_languageModel"), "Calculator": to("ai_tool")},
        "settings": {},
    })
    api(f"/workflows/{made['id']}/activate", {})
    return made["id"]


MODEL = workflow()
CLIENT = openai.OpenAI(api_key=KEY, base_url=f"{URL}/v1")
ASK = {"model": MODEL, "messages": [{"role": "user", "content": "6*7?"}]}
CALL = {"calls": [{"name": "calculator", "arguments": {"expression": "6*7"}}]}
WORDS = {"text": "It is 42.", "usage": {"input": 30, "output": 5}}


def models():
    listed = {model.id: model for model in CLIENT.models.list()}
    same((listed[MODEL].name, listed[MODEL].owned_by), ("Support agent", "heddle"))
    same(CLIENT.models.retrieve("support-agent").id, MODEL)


def whole():
    script(CALL, WORDS)
    answer = CLIENT.chat.completions.create(**ASK, temperature=0.1, max_tokens=50)
    same((answer.choices[0].message.content, answer.choices[0].finish_reason), ("It is 42.", "stop"))
    same((answer.usage.prompt_tokens, answer.usage.completion_tokens), (41, 12))


def streamed():
    script(CALL, WORDS)
    steps, words, usage = [], "", None
    stream = CLIENT.chat.completions.create(**ASK, stream=True, stream_options={"include_usage": True}, extra_body={"heddle": {"steps": True}})
    for chunk in stream:
        words += (chunk.choices[0].delta.content or "") if chunk.choices else ""
        usage = chunk.usage or usage
        step = getattr(chunk, "heddle", None)
        steps += [step["type"]] if step else []
    same((words, steps, usage.total_tokens), ("It is 42.", ["tool-start", "tool-end"], 53))


def pictures():
    script(WORDS)
    content = [{"type": "text", "text": "What?"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]
    CLIENT.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": content}])
    asked = json.loads(urllib.request.urlopen(f"{MOCK}/__asked").read())
    same("data:image/png;base64,iVBORw0KGgo=" in json.dumps(asked[-1]), True)


def own_tools():
    parameters = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    ask = {"model": MODEL, "tools": [{"type": "function", "function": {"name": "look_up", "parameters": parameters}}]}
    both = {"calls": [CALL["calls"][0], {"name": "look_up", "arguments": {"city": "Oslo"}}]}
    for streams in (False, True):
        script(both, {"text": "84."})
        messages = [{"role": "user", "content": "How warm is Oslo, times 6*7?"}]
        if streams:
            with CLIENT.chat.completions.stream(**ask, messages=messages) as stream:
                choice = stream.get_final_completion().choices[0]
        else:
            choice = CLIENT.chat.completions.create(**ask, messages=messages).choices[0]
        calls = choice.message.tool_calls
        same((choice.finish_reason, [(call.function.name, json.loads(call.function.arguments)) for call in calls]), ("tool_calls", [("look_up", {"city": "Oslo"})]))
        messages += [choice.message.model_dump(exclude_none=True, include={"role", "content", "tool_calls"})]
        messages += [{"role": "tool", "tool_call_id": call.id, "content": "2 degrees"} for call in calls]
        answer = CLIENT.chat.completions.create(**ask, messages=messages)
        same((answer.choices[0].message.content, answer.choices[0].finish_reason), ("84.", "stop"))
        told = json.loads(urllib.request.urlopen(f"{MOCK}/__asked").read())[-1]["body"]["messages"]
        same([message.get("content") for message in told[-2:]], ["42", "2 degrees"])


def vectors():
    for coding in ({}, {"encoding_format": "float"}):
        found = CLIENT.embeddings.create(model=f"{MODEL}/Vectors", input=["red apple", "blue sky"], **coding)
        same([len(entry.embedding) for entry in found.data], [8, 8])
    same(found.data[0].embedding != found.data[1].embedding, True)


def errors():
    for kind, change in (
        (openai.NotFoundError, {"model": "gpt-5"}),
        (openai.BadRequestError, {"tools": [{"type": "function", "function": {"name": "not a name"}}]}),
        (openai.BadRequestError, {"n": 2}),
        (openai.BadRequestError, {"messages": []}),
    ):
        try:
            CLIENT.chat.completions.create(**{**ASK, **change})
        except kind:
            continue
        raise SystemExit(f"{change} was not refused")
    try:
        openai.OpenAI(api_key="sk-wrong", base_url=f"{URL}/v1").models.list()
    except openai.AuthenticationError:
        pass
    else:
        raise SystemExit("a wrong key was taken")
    before = len(json.loads(urllib.request.urlopen(f"{MOCK}/__asked").read()))
    script({"fault": "unauthorized"})
    try:
        CLIENT.chat.completions.create(**ASK)
    except openai.APIStatusError:
        pass
    else:
        raise SystemExit("a run that failed was no error")
    same(len(json.loads(urllib.request.urlopen(f"{MOCK}/__asked").read())), before + 1)


for check in (models, whole, streamed, pictures, own_tools, vectors, errors):
    check()
    print(f"ok {check.__name__}")
