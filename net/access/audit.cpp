// Lines about access.

#include "net/access/audit.hpp"

#include "schema/base/text.hpp"
#include "schema/json/writer.hpp"

#include <string>
#include <utility>

namespace whence::net {

struct Audit::Line {
  LogLevel level;
  std::string_view event;
  Grant const& who;
  std::string_view what_name;  ///< of the member with `what`
  std::string_view what;
  std::string_view peer;
  std::string_view why = {};
  std::uint64_t untold = 0;
};

void Audit::write(Line const& line) {
  LogEvent event{.level = line.level, .component = "access", .event = line.event, .data = {}};
  schema::json::Writer data{event.data};
  data.begin_object();
  if (!line.who.name.empty()) data.member("who", line.who.name);
  if (line.who.role != Role::none) data.member("role", name_of(line.who.role));
  if (line.who.standing == Standing::expired || line.who.standing == Standing::revoked)
    data.member("token", schema::name_of(line.who.standing));
  if (!line.what.empty()) data.member(line.what_name, line.what);
  if (!line.peer.empty()) data.member("peer", line.peer);
  if (line.untold > 0) data.member("untold_before", line.untold);
  data.end_object();
  event.error = line.why;
  sink_(event);
}

bool Audit::may_tell(std::uint64_t& untold) {
  auto const now = std::chrono::steady_clock::now();
  std::lock_guard const lock(mutex_);
  if (now - second_ >= std::chrono::seconds{1}) {
    second_ = now;
    told_ = 0;
  }
  if (told_ >= refusals_max) {
    ++untold_;
    return false;
  }
  ++told_;
  untold = std::exchange(untold_, 0);
  return true;
}

void Audit::refused(Grant const& who, std::string_view what, std::string_view peer, std::string_view why) {
  ++refusals_;
  std::uint64_t untold = 0;
  if (!sink_ || !may_tell(untold)) return;
  write({.level = LogLevel::warning,
         .event = "refused",
         .who = who,
         .what_name = "what",
         .what = what,
         .peer = peer,
         .why = why,
         .untold = untold});
}

void Audit::admin_called(Grant const& who, std::string_view method, std::string_view peer, std::optional<Errc> error) {
  if (!sink_) return;
  write({.level = error ? LogLevel::warning : LogLevel::info,
         .event = "admin_called",
         .who = who,
         .what_name = "method",
         .what = method,
         .peer = peer,
         .why = error ? whence::name_of(*error) : std::string_view{}});
}

void Audit::read(Grant const& who, std::string_view method, std::string_view peer, std::string_view asked) {
  if (!reads_) return;
  LogEvent event{.component = "access", .event = "read", .data = {}};
  schema::json::Writer data{event.data};
  data.begin_object();
  if (!who.name.empty()) data.member("who", who.name);
  if (who.role != Role::none) data.member("role", name_of(who.role));
  data.member("method", method);
  if (!peer.empty()) data.member("peer", peer);
  data.member("asked", schema::cut(asked, asked_bytes_max)).end_object();
  reads_(event);
}

void Audit::ended(Grant const& who, std::string_view peer) {
  if (!sink_) return;
  write({.level = LogLevel::info, .event = "access_ended", .who = who, .what_name = "", .what = {}, .peer = peer});
}

}  // namespace whence::net
