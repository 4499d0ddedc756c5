"""The same agent in LangGraph: a model, a calculator, an answer; behind Starlette, and nothing is kept.

`OPENAI_BASE_URL` is where the model is. It says where it listens and runs until it is stopped.
"""

import os
import socket

import uvicorn
from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route


@tool
def calculator(expression: str) -> str:
    """Works out an arithmetic expression."""
    return str(sum(float(number) for number in expression.split("+")))


model = ChatOpenAI(model="mock", base_url=os.environ["OPENAI_BASE_URL"], api_key="none")
agent = create_agent(model, [calculator], system_prompt="You are a helpful AI assistant.")


async def ask(request):
    question = (await request.json())["question"]
    answer = await agent.ainvoke({"messages": [("user", question)]})
    return JSONResponse({"response": answer["messages"][-1].content})


app = Starlette(routes=[Route("/webhook/agent", ask, methods=["POST"])])
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(1024)
print(f"listens on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False)).run(sockets=[listener])
