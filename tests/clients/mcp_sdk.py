"""The official Python SDK against our MCP servers: the current revision and an older one, over HTTP and through `heddle mcp`."""

import asyncio
import json
import os
import urllib.request

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

URL, KEY, HEDDLE = os.environ["HEDDLE_URL"], os.environ["HEDDLE_KEY"], os.environ["HEDDLE_PROGRAM"]
MODERN = "2026-07-28"
passed = 0


def check(claim, found, wanted=True):
    global passed
    if found != wanted:
        raise SystemExit(f"FAILED  {claim}: expected {wanted!r}, found {found!r}")
    passed += 1


def api(method, path, body=None):
    headers = {"content-type": "application/json", "x-n8n-api-key": KEY}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{URL}/api/v1{path}", data, headers, method=method)
    return json.loads(urllib.request.urlopen(request).read() or "{}")


def fixture(name):
    with open(f"{os.path.dirname(os.path.abspath(__file__))}/mcp/{name}") as file:
        return json.load(file)


def over_http(path):
    client = httpx2.AsyncClient(headers={"authorization": f"Bearer {KEY}"}, timeout=60)
    return streamable_http_client(f"{URL}{path}", http_client=client)


async def instance(claim, transport, mode):
    """An assistant that builds a workflow and calls it."""
    async with Client(transport, mode=mode) as client:
        check(f"{claim}: the revision", (client.protocol_version == MODERN), mode != "legacy")
        names = [tool.name for tool in (await client.list_tools()).tools]
        check(f"{claim}: management tools are listed", "create_workflow" in names and "explain_execution" in names)
        check(f"{claim}: a marked workflow is listed", "workflow_weather_report" in names)
        report = await client.call_tool("workflow_weather_report", {"city": "Turin"})
        check(f"{claim}: a workflow answers", report.structured_content["items"], [{"sky": "blue over Turin"}])
        found = await client.call_tool("search_nodes", {"query": "webhook"})
        check(f"{claim}: nodes are found", found.structured_content["nodes"][0]["type"], "n8n-nodes-base.webhook")
        draft = fixture("report.json")
        made = await client.call_tool(
            "create_workflow", {"name": f"Made by {claim}", "nodes": draft["nodes"], "connections": draft["connections"]}
        )
        check(f"{claim}: a workflow is created", made.is_error or False, False)
        ran = await client.call_tool("run_workflow", {"id": made.structured_content["id"], "items": [{"city": "Rome"}]})
        check(f"{claim}: it runs", ran.structured_content["status"], "success")
        wrong = await client.call_tool("get_workflow", {"id": "no-such"})
        check(f"{claim}: a mistake is told", wrong.is_error and "WORKFLOW_NOT_FOUND" in wrong.content[0].text)


async def trigger(claim, mode):
    async with Client(over_http("/mcp/fixture"), mode=mode) as client:
        names = sorted(tool.name for tool in (await client.list_tools()).tools)
        check(f"{claim}: the tools of the trigger", "test_simple_text" in names and "Calculator" in names)
        reply = await client.call_tool("Calculator", {"input": "6 * 7"})
        check(f"{claim}: a tool answers", reply.content[0].text, "42")
        reply = await client.call_tool("test_error_handling", {})
        check(f"{claim}: a failing tool is an error", reply.is_error)


async def main():
    api("POST", "/workflows", fixture("report.json"))
    made = api("POST", "/workflows", fixture("tools.json"))
    api("POST", f"/workflows/{made['id']}/activate")
    for mode in ["auto", "legacy"]:
        await trigger(f"trigger, {mode}", mode)
        await instance(f"HTTP, {mode}", over_http("/mcp"), mode)
        # With the folder of the server that runs, and with its address.
        environment = {"PATH": os.environ["PATH"], "HEDDLE_MCP_KEY": KEY, "HEDDLE_DATA": os.environ["HEDDLE_FOLDER"]}
        for arguments in [["mcp"], ["mcp", "--url", URL]]:
            server = StdioServerParameters(command=HEDDLE, args=arguments, env=environment)
            await instance(f"{' '.join(arguments[:2])}, {mode}", server, mode)
    print(f"Python SDK: {passed} checks passed")


asyncio.run(main())
