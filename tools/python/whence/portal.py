"""The event loop of the synchronous client: a background thread, and calls into it."""
from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from .errors import ConnectionLost

T = TypeVar("T")


class Portal:
    """Runs coroutines on a background thread's event loop. Callable from any thread but that one."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="whence", daemon=True)
        self._thread.start()

    @property
    def is_open(self) -> bool:
        return self._thread.is_alive()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The coroutine's result; it is cancelled if waiting for it is interrupted (Ctrl-C).

        Raises `ConnectionLost` once the portal is closed.
        """
        if not self.is_open:
            work.close()
            raise ConnectionLost("the client is closed")
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("the client cannot be called from its own thread, where progress is reported")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise ConnectionLost("the client is closed") from None
        except BaseException:
            future.cancel()
            raise

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        """Starts the coroutine without waiting; does nothing once the portal is closed."""
        if self.is_open:
            asyncio.run_coroutine_threadsafe(work, self._loop)
        else:
            work.close()

    def finish(self, work: Coroutine[Any, Any, Any]) -> None:
        """Runs the coroutine to its end; does nothing once the portal is closed."""
        if self.is_open:
            self.run(work)
        else:
            work.close()

    def close(self) -> None:
        """Ends the thread. May be called again."""
        if self.is_open:
            self.run(self._cancel_all())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    async def _cancel_all(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
