"""Refusals: what an event loop offers and virtual time cannot.

Imports asyncio. Threads, sockets, processes and signals run in real time; a simulation that waited
for them would either hang or fire time-outs that never were. Each call says so at once.
"""

from __future__ import annotations

import asyncio
from typing import Any, NoReturn

from windtunnel_models.errors import Unsupported

_NETWORK = "give the code a transport of the simulated world (its network port) instead"
THREAD = "call the function directly, or model its duration with `await asyncio.sleep(...)`"
_FILES = "wait for a simulated event (`loop.env.event()`) instead of a file descriptor"
_PROCESS = "start the program through the simulated world's processes instead"
_SIGNAL = "call the handler from the scenario's timeline instead"


def _refusal(name: str, instead: str, also: str = "()") -> Any:  # noqa: ANN401 - it stands for methods of any signature
    def refuse(_loop: object, *_args: object, **_options: object) -> NoReturn:
        raise Unsupported(f"loop.{name}{also} cannot be had in virtual time: {instead}")

    refuse.__name__ = name
    refuse.__doc__ = f"Raise Unsupported: {instead}."
    return refuse


class RefusingLoop(asyncio.AbstractEventLoop):
    """The part of the loop's interface that raises `Unsupported`, at the call, not at the await."""

    run_in_executor = _refusal("run_in_executor", THREAD, "() (asyncio.to_thread)")
    set_default_executor = _refusal("set_default_executor", THREAD)
    getaddrinfo = _refusal("getaddrinfo", _NETWORK)
    getnameinfo = _refusal("getnameinfo", _NETWORK)
    create_connection = _refusal("create_connection", _NETWORK)
    create_server = _refusal("create_server", _NETWORK)
    create_unix_connection = _refusal("create_unix_connection", _NETWORK)
    create_unix_server = _refusal("create_unix_server", _NETWORK)
    create_datagram_endpoint = _refusal("create_datagram_endpoint", _NETWORK)
    connect_accepted_socket = _refusal("connect_accepted_socket", _NETWORK)
    start_tls = _refusal("start_tls", _NETWORK)
    sendfile = _refusal("sendfile", _NETWORK)
    sock_accept = _refusal("sock_accept", _NETWORK)
    sock_connect = _refusal("sock_connect", _NETWORK)
    sock_recv = _refusal("sock_recv", _NETWORK)
    sock_recv_into = _refusal("sock_recv_into", _NETWORK)
    sock_recvfrom = _refusal("sock_recvfrom", _NETWORK)
    sock_recvfrom_into = _refusal("sock_recvfrom_into", _NETWORK)
    sock_sendall = _refusal("sock_sendall", _NETWORK)
    sock_sendfile = _refusal("sock_sendfile", _NETWORK)
    sock_sendto = _refusal("sock_sendto", _NETWORK)
    add_reader = _refusal("add_reader", _FILES)
    remove_reader = _refusal("remove_reader", _FILES)
    add_writer = _refusal("add_writer", _FILES)
    remove_writer = _refusal("remove_writer", _FILES)
    connect_read_pipe = _refusal("connect_read_pipe", _FILES)
    connect_write_pipe = _refusal("connect_write_pipe", _FILES)
    subprocess_exec = _refusal("subprocess_exec", _PROCESS)
    subprocess_shell = _refusal("subprocess_shell", _PROCESS)
    add_signal_handler = _refusal("add_signal_handler", _SIGNAL)
    remove_signal_handler = _refusal("remove_signal_handler", _SIGNAL)
