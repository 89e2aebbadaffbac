// Reads samples and compares them with bounds.

#include "tools/cli/doctor/server_health.hpp"

#include "tools/cli/doctor/store_health.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>

namespace whence::tools {
namespace {

constexpr double near_limit = 0.8;
constexpr double lag_many = 1'000;
constexpr double clock_behind_s = 5;

std::string count_text(double value) {
  return std::to_string(static_cast<std::uint64_t>(std::max(value, 0.0)));
}

/// Where a sample of one of several stores is meant.
std::string in_place(std::string const& labels) {
  return labels.empty() ? std::string{} : " (" + labels + ")";
}

class Look {
 public:
  Look(Samples const& samples, Findings& out) : samples_{samples}, out_{out} {}

  void each(std::string_view name, std::function<void(Sample const&)> const& visit) const {
    auto const found = samples_.find(name);
    if (found == samples_.end()) return;
    for (auto const& sample : found->second) visit(sample);
  }

  [[nodiscard]] std::optional<double> value(std::string_view name, std::string_view labels = "") const {
    std::optional<double> value;
    each(name, [&](Sample const& sample) {
      if (sample.labels == labels) value = sample.value;
    });
    return value;
  }

  /// 1 is a fault.
  void flag(std::string_view name, std::string const& what, std::string const& says, std::string const& remedy) const {
    each(name, [&](Sample const& sample) {
      if (sample.value > 0) out_.fail(what, says + in_place(sample.labels), remedy);
    });
  }

  void above(std::string_view name, double bound, std::string const& what, std::string const& says,
             std::string const& remedy) const {
    each(name, [&](Sample const& sample) {
      if (sample.value > bound)
        out_.warn(what, count_text(sample.value) + " " + says + in_place(sample.labels), remedy);
    });
  }

  /// How much of a limit is in use.
  void share(std::string_view name, std::string_view limit, std::string const& what, std::string const& remedy) const {
    auto const used = value(name);
    auto const most = value(limit);
    if (!used || !most || *most <= 0) return;
    auto const percent = std::to_string(std::lround(*used / *most * 100)) + " % of " + what + " are in use";
    *used > near_limit** most ? out_.warn(what, percent, remedy) : out_.ok(what, percent);
  }

 private:
  Samples const& samples_;
  Findings& out_;
};

void look_at_stores(Look const& look, std::int64_t now_s, Findings& out) {
  look.each("whence_store_bytes", [&](Sample const& store) {
    auto const bytes = static_cast<std::uint64_t>(store.value);
    if (auto const free = look.value("whence_store_disk_free_bytes", store.labels)) {
      look_at_disk(static_cast<std::uint64_t>(*free), bytes, out);
    }
    if (auto const map = look.value("whence_store_map_bytes", store.labels)) {
      look_at_map(bytes, static_cast<std::uint64_t>(*map), out);
    }
    auto const backup = look.value("whence_backup_timestamp_seconds", store.labels);
    look_at_backup(backup ? std::max<std::int64_t>(now_s - static_cast<std::int64_t>(*backup), 0) : -1, out);
  });
}

}  // namespace

Samples parse_samples(std::string_view text) {
  Samples samples;
  while (!text.empty()) {
    auto const line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    auto const name_end = line.find_first_of("{ ");
    auto const value_begin = line.rfind(' ');
    if (name_end == std::string_view::npos || value_begin == std::string_view::npos) continue;
    Sample sample;
    auto const number = line.substr(value_begin + 1);
    auto const read = std::from_chars(number.data(), number.data() + number.size(), sample.value);
    if (read.ec != std::errc{} || read.ptr != number.data() + number.size()) continue;
    auto const close = line.rfind('}', value_begin);
    if (line[name_end] == '{' && close != std::string_view::npos && close > name_end) {
      sample.labels = line.substr(name_end + 1, close - name_end - 1);
    }
    samples[std::string{line.substr(0, name_end)}].push_back(std::move(sample));
  }
  return samples;
}

void look_at_samples(Samples const& samples, std::int64_t now_s, Findings& out) {
  Look const look{samples, out};
  look.flag("whence_store_broken", "store", "writing has ended after a failure of the disk or of memory",
            "tools/operations/BACKUP.md, a broken store");
  look.flag("whence_store_full", "store-room", "writes are refused for want of room",
            "make room on the disk, or lift the limit on the size of files");
  look.flag("whence_draining", "draining", "the server stops", "wait for the next start");
  look_at_stores(look, now_s, out);
  look.share("whence_connections", "whence_connections_max", "connections",
             "close idle clients, or serve from more nodes");
  look.share("process_open_fds", "process_max_fds", "descriptors", "LimitNOFILE=16384 in the unit");
  look.share("whence_request_memory_bytes", "whence_request_memory_max_bytes", "request-memory",
             "fewer or smaller requests at once, or --memory-for-requests");
  if (auto const ends = look.value("whence_tls_certificate_expiry_timestamp_seconds")) {
    look_at_expiry("certificate", static_cast<std::int64_t>(*ends) - now_s, "renew it, then SIGHUP", out);
  }
  look.each("whence_token_expiry_timestamp_seconds", [&](Sample const& sample) {
    look_at_expiry("token", static_cast<std::int64_t>(sample.value) - now_s, "whence token rotate, then SIGHUP", out);
  });
  look.above("whence_search_lag", lag_many, "search-index", "transactions are not in the index of texts yet",
             "wait; if it does not fall, look at the disk");
  look.flag("whence_search_stopped", "search-index", "the index of texts does not go on", "look at disk and memory");
  look.above("whence_log_lag", lag_many, "log-lag", "messages of the replicated log are not taken yet",
             "look at this node's disk and CPU");
  look.each("whence_log_connected", [&](Sample const& sample) {
    if (sample.value > 0) return out.ok("log", "a server of the replicated log answers");
    out.fail("log", "no server of the replicated log answers: there are no writes" + in_place(sample.labels),
             "look at the NATS servers and the network to them");
  });
  look.above("whence_clock_behind_seconds", clock_behind_s, "clock", "seconds is the clock behind the last commit",
             "set the clock right (timedatectl)");
  look.flag("whence_retention_held", "retention", "contents that are due are kept, since the clock is doubted",
            "tools/operations/BACKUP.md, clocks");
  look.above("whence_discussion_files_behind", 0, "files", "discussions have files that wait to be written",
             "look at the folder of --files");
}

}  // namespace whence::tools
