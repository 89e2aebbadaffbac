#pragma once
// A session in a test: an engine in a directory of its own, a host that is a list of messages, and a strand that is the
// test's thread.

#include "net/service/service.hpp"
#include "net/service/session.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/fixtures.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {

namespace json = boost::json;

/// Keeps what a session sends; runs what is posted when the test waits.
class FakeHost final : public net::SessionHost {
 public:
  /// An error's `seen` may be as deep as a request, which is deeper than the parser takes by default.
  void send(std::string text) override { sent.push_back(json::parse(text, {}, {.max_depth = 128})); }
  void close(std::uint16_t code, std::string_view) override { closed_with = code; }
  void post(std::function<void()> task) override {
    {
      std::lock_guard const lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    posted_.notify_one();
  }
  [[nodiscard]] bool is_congested() const override { return congested; }
  void on_idle() override { ++idle_calls; }

  /// Runs posted tasks until `is_met`; fails the test after a minute.
  void run_until(std::function<bool()> const& is_met) {
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    while (!is_met()) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        BOOST_REQUIRE(posted_.wait_until(lock, deadline, [this] { return !tasks_.empty(); }));
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  /// Runs what is posted already.
  void run_posted() {
    for (;;) {
      std::function<void()> task;
      {
        std::lock_guard const lock(mutex_);
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  std::vector<json::value> sent;
  std::uint16_t closed_with = 0;
  bool congested = false;
  int idle_calls = 0;

 private:
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<std::function<void()>> tasks_;
};

/// An engine with a service on it.
struct ServiceWorld : EngineFixture {
  explicit ServiceWorld(net::ServiceConfig settings = {}) : service_config(std::move(settings)) { serve(); }

  void serve() { service = std::make_unique<net::Service>(*engine, service_config, clock); }
  /// Service and engine end and begin again on the same directory.
  void restart() {
    service.reset();
    reopen();
    serve();
  }

  schema::TxId put(std::vector<schema::Record> records) { return write(std::move(records)).value().tx; }

  /// `count` units of the names `prefix` + 0..count-1, in one transaction.
  schema::TxId put_units(std::size_t count, std::string const& prefix = "cu_") {
    std::vector<schema::Record> records;
    for (std::size_t i = 0; i < count; ++i) records.emplace_back(unit(prefix + std::to_string(i)));
    return put(std::move(records));
  }

  /// `cu_root` and `count` units derived from it, in one transaction.
  schema::TxId put_fan(std::size_t count) {
    std::vector<schema::Record> records{unit("cu_root")};
    for (std::size_t i = 0; i < count; ++i) records.emplace_back(derived("cu_" + std::to_string(i), {"cu_root"}));
    return put(std::move(records));
  }

  net::ServiceConfig service_config;
  std::unique_ptr<net::Service> service;
};

/// One connection to a world.
struct Connection {
  explicit Connection(ServiceWorld& world, net::SessionConfig config = {})
      : session(net::Session::make(*world.service, std::move(config), host)) {}
  ~Connection() { session->on_closed(); }

  void say(std::string_view text) { session->on_text(text); }
  void notify(std::string const& method, std::string const& params) {
    say(R"({"jsonrpc":"2.0","method":")" + method + R"(","params":)" + params + "}");
  }
  /// Sends a request under a fresh id and returns the id.
  int ask(std::string const& method, std::string const& params = "{}") {
    int const id = ++last_id;
    say(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" + method + R"(","params":)" + params + "}");
    return id;
  }
  /// The response to `id`, waited for.
  json::value answer(int id) {
    json::value const* found = nullptr;
    host.run_until([&] { return (found = find_answer(id)) != nullptr; });
    return *found;
  }
  json::value const* find_answer(int id) const {
    for (json::value const& message : host.sent) {
      auto const* object = message.if_object();
      if (object == nullptr || object->contains("method")) continue;
      auto const* named = object->if_contains("id");
      if (named != nullptr && named->is_int64() && named->get_int64() == id) return &message;
    }
    return nullptr;
  }
  json::value call(std::string const& method, std::string const& params = "{}") { return answer(ask(method, params)); }
  /// The result of a call that must not fail.
  json::value result(std::string const& method, std::string const& params = "{}") {
    json::value const response = call(method, params);
    BOOST_REQUIRE_MESSAGE(response.as_object().contains("result"), response);
    return response.at("result");
  }
  std::int64_t error_code(std::string const& method, std::string const& params = "{}") {
    json::value const response = call(method, params);
    BOOST_REQUIRE_MESSAGE(response.as_object().contains("error"), response);
    return response.at("error").at("code").as_int64();
  }
  /// Notifications of one method sent so far.
  std::vector<json::value> notifications(std::string_view method) const {
    std::vector<json::value> found;
    for (json::value const& message : host.sent) {
      auto const* object = message.if_object();
      auto const* named = object == nullptr ? nullptr : object->if_contains("method");
      if (named != nullptr && named->as_string() == method) found.push_back(object->at("params"));
    }
    return found;
  }

  FakeHost host;
  std::shared_ptr<net::Session> session;
  int last_id = 0;
};

/// A world with one connection to it.
struct SessionFixture : ServiceWorld, Connection {
  explicit SessionFixture(net::ServiceConfig settings = {})
      : ServiceWorld(std::move(settings)), Connection(static_cast<ServiceWorld&>(*this)) {}
};

}  // namespace whence::test
