// Makes and ends what the sessions of a service share.

#include "net/service_state.hpp"

#include "net/rpc/method.hpp"
#include "net/rpc/openrpc.hpp"

#include <string_view>
#include <vector>

namespace whence::net {

namespace {

std::vector<std::string_view> method_names() {
  std::vector<std::string_view> names;
  for (Method const& method : methods()) names.push_back(method.name);
  return names;
}

}  // namespace

ServiceState::ServiceState(engine::Engine& served, ServiceConfig const& settings, schema::Clock const& wall_clock)
    : engine(served),
      config(settings),
      clock(wall_clock),
      epoch(served.epoch()),
      openrpc(make_openrpc(settings.page_max)),
      metrics(method_names()),
      cache(settings.cursor_cache_bytes),
      alarms(std::make_shared<Alarms>()),
      feed(std::make_shared<Feed>(served, [&served] { return net::view_of(served, served.snapshot()); })),
      jobs({.folder = served.directory() / "exports"}),
      pool(settings.workers) {
  engine.on_published([alarms = alarms, feed = feed](schema::TxId head) {
    alarms->on_published(head);
    feed->on_published();
  });
  alarms->on_published(engine.snapshot().tx());
}

ServiceState::~ServiceState() {
  feed->stop();
}

}  // namespace whence::net
