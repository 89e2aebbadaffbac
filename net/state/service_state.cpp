// Makes and ends what the sessions of a service share.

#include "net/state/service_state.hpp"

#include "net/files/discussion_files.hpp"
#include "net/rpc/method.hpp"
#include "net/rpc/openrpc.hpp"
#include "schema/json/writer.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace whence::net {

namespace {

queries::TokenCheck make_token_check(engine::Engine& engine, schema::Clock const& clock, ServiceConfig const& settings,
                                     std::shared_ptr<Follower> const& files) {
  if (engine.files() == nullptr) return {};
  FileCheck const check{.validates = settings.validates_token_sync, .repairs = settings.repairs_token_sync};
  return [&engine, &clock, files, check](schema::DiscussionState const& state, schema::TxId tx) {
    engine::DiscussionIds const name{state.discussion.user_id, state.discussion.discussion_id};
    // Of a past moment, or of one whose file is about to follow.
    if (tx != engine.snapshot().tx() || files->is_being_saved(name)) return std::vector<Violation>{};
    auto warnings = check_file(engine, clock, state, check);
    for (auto const& warning : warnings) files->report_out_of_sync(name, warning);
    return warnings;
  };
}

/// Logs that nothing is written any more. The sink is called while the engine lives.
engine::FailureReport failure_report(engine::Engine const& engine, LogSink log) {
  if (!log) return {};
  return [&engine, log = std::move(log)](std::string_view failure) {
    LogEvent event{.level = LogLevel::error, .component = "server", .event = "store_broken", .data = {}};
    schema::json::Writer data{event.data};
    data.begin_object().member("db", engine.directory().string());
    data.member("tx", schema::number(engine.snapshot().tx())).end_object();
    event.error = std::string{failure} + "; nothing is written any more, reads go on: free the disk, restart, verify";
    log(event);
  };
}

/// Ends exports that may have what was purged. The engine may call it after the service's end.
engine::Announce purge_report(engine::Engine const& engine, std::weak_ptr<engine::Jobs> exports) {
  return [&engine, exports = std::move(exports), seen = engine.stats().purged_in](schema::TxId) mutable {
    auto const last = engine.stats().purged_in;
    auto const jobs = last == seen ? nullptr : exports.lock();
    seen = last;
    if (jobs) jobs->end_before(last);
  };
}

/// Logs once that writes are refused for want of room, and once that they are not any more.
engine::RoomReport room_report(engine::Engine const& engine, LogSink log) {
  if (!log) return {};
  return [&engine, log = std::move(log)](std::optional<store::NoRoom> why) {
    LogEvent event{.level = why ? LogLevel::error : LogLevel::info,
                   .component = "server",
                   .event = why ? "writes_refused" : "writes_accepted",
                   .data = {}};
    schema::json::Writer data{event.data};
    data.begin_object().member("db", engine.directory().string());
    if (why) data.member("reason", *why == store::NoRoom::disk ? "disk" : "file_size");
    data.end_object();
    if (why) event.error = "there is no room for a write; reads go on, and writes when there is room";
    log(event);
  };
}

/// A cursor, or the place of a subscription, is not one in the copy of a store that is another namespace.
std::string bound_epoch(std::string const& epoch, std::string const& namespace_name) {
  return namespace_name.empty() ? epoch : epoch + "@" + namespace_name;
}

std::vector<std::string_view> method_names() {
  std::vector<std::string_view> names;
  for (Method const& method : methods()) names.push_back(method.name);
  return names;
}

}  // namespace

ServiceState::ServiceState(engine::Engine& served, ServiceConfig const& settings, schema::Clock const& wall_clock,
                           SharedWork work)
    : engine(served),
      config(settings),
      clock(wall_clock),
      epoch(bound_epoch(served.epoch(), settings.namespace_name)),
      openrpc(make_openrpc(settings.page_max)),
      metrics(method_names()),
      audit(settings.log, settings.reads),
      cache(settings.cursor_cache_bytes),
      memory(std::move(work.memory)),
      alarms(std::make_shared<Alarms>(trouble_report(settings.log))),
      feed(std::make_shared<Feed>(
          served, [&served] { return net::view_of(served, served.snapshot()); }, trouble_report(settings.log))),
      transparency(std::make_shared<TransparencyLog>(
          served, wall_clock, [&served] { return net::view_of(served, served.snapshot()); },
          settings.namespace_name.empty() ? "default" : settings.namespace_name, trouble_report(settings.log))),
      forks(served, *transparency, settings.log),
      cosignatures(served.directory() / "log.cosignatures", settings.witnesses, trouble_report(settings.log)),
      kept_readers(std::make_shared<KeptReaders>(alarms)),
      files(std::make_shared<Follower>(served, wall_clock, alarms, settings.log)),
      token_check(make_token_check(served, wall_clock, settings, files)),
      jobs(std::make_shared<engine::Jobs>(
          engine::JobsConfig{.folder = served.directory() / "exports", .on_trouble = trouble_report(settings.log)})),
      retention(served, wall_clock, settings.retention, settings.log),
      clock_watch(served, wall_clock, settings.log),
      capture(served, settings.log),
      openlineage(served, settings.log),
      shared_pool(std::move(work.pool)),
      pool(*shared_pool),
      upkeep(pool, 1) {
  engine.on_failure(failure_report(engine, config.log));
  engine.on_room(room_report(engine, config.log));
  engine.on_published([alarms = alarms](schema::TxId head) { alarms->on_published(head); });
  engine.on_published([feed = feed](schema::TxId) { feed->on_published(); });
  engine.on_published([transparency = transparency](schema::TxId) { transparency->on_published(); });
  engine.on_published(purge_report(engine, jobs));
  alarms->on_published(engine.snapshot().tx());
}

ServiceState::~ServiceState() {
  kept_readers->stop();
  files->stop();
  transparency->stop();
  feed->stop();
  pool.stop();
}

}  // namespace whence::net
