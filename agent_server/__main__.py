"""`python -m agent_server` is the command `agent-server`."""

from agent_server.cli import main

main()
