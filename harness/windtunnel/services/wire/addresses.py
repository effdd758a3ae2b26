"""The addresses: hosts, ports and paths of the parties of a router (RT-A4, RT-G1).

Imports nothing of the project.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

BACKEND: Final = "backend"
DISPATCHER: Final = "dispatcher"
EXTERNAL: Final = "external"
"""The external platform."""

DISPATCHER_PORT: Final = 4000
CALLBACK_PORT: Final = 8066
"""The backend's callback service."""
EXTERNAL_PORT: Final = 443

DISPATCHER_URL: Final = f"http://{DISPATCHER}:{DISPATCHER_PORT}"
CALLBACK_URL: Final = f"http://{BACKEND}:{CALLBACK_PORT}/callback"
EXTERNAL_URL: Final = f"http://{EXTERNAL}:{EXTERNAL_PORT}"

TASK_PATH: Final = "/api/task"
"""POST submits a task; GET with `?requestId=` asks for it."""
HEALTH_PATH: Final = "/api/health"
OVERVIEW_PATH: Final = "/api/overview"
LOGIN_PATH: Final = "/api/auth/login"
CHANNEL_PATH: Final = "/channel"
"""Where the backend's channel begins (RT-W1)."""
BRIDGE_PATH: Final = "/bridge"
"""Where a bridge's channel begins."""
CREATE_PATH: Final = "/task/openapi/create"
"""Of the external platform: POST submits a task."""
OUTPUTS_PATH: Final = "/task/openapi/outputs"
"""Of the external platform: POST `{apiKey, taskId}` asks for it."""


def path_of(url: str) -> str:
    """Return the path of a URL, without its query."""
    return urlsplit(url).path
