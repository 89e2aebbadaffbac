#pragma once
// The vocabulary of asynchronous code in this folder: one executor type, coroutines on it, operations awaited as
// values.

#include <chrono>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace whence::net {

namespace asio = boost::asio;
using boost::system::error_code;
using Moment = std::chrono::steady_clock::time_point;

/// Every I/O thread runs a context of its own, so a connection's context is its strand: nothing of one connection runs
/// on two threads, and no operation pays for a strand or a type-erased executor.
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<asio::ip::tcp, Executor>;
using Timer =
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Executor>;

template <class T>
using Awaitable = asio::awaitable<T, Executor>;

/// Completion token: the error code comes back as part of the result instead of as an exception.
inline constexpr auto awaited = asio::as_tuple(asio::use_awaitable_t<Executor>{});

}  // namespace whence::net
