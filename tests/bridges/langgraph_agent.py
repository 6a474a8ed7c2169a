"""A LangGraph agent: a graph of a model and its tools."""

from typing import Any

from langchain_core.tools import StructuredTool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from offered import offered

from braino.agent import AgentAnswer, Session


class LangGraph:
    name = "langgraph"

    def __init__(self, model: Any) -> None:
        self._model, self.model = model, type(model).__name__

    def solve(self, request: str, session: Session) -> AgentAnswer:
        tools = [
            StructuredTool.from_function(run, name=name, description=about, args_schema=schema)
            for name, about, schema, run in offered(session)
        ]
        bound = self._model.bind_tools(tools)
        graph = StateGraph(MessagesState)
        graph.add_node("model", lambda state: {"messages": [bound.invoke(state["messages"])]})
        graph.add_node("tools", ToolNode(tools, handle_tool_errors=False))
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", tools_condition)
        graph.add_edge("tools", "model")
        done = graph.compile().invoke({"messages": [("user", request)]}, {"recursion_limit": 200})
        return AgentAnswer(done["messages"][-1].text)


def make() -> LangGraph:
    from langchain_openai import ChatOpenAI

    return LangGraph(ChatOpenAI(model="gpt-5-mini"))
