// Resuming a stream.

#include "tools/cli/watch/stream.hpp"

#include "schema/json/members.hpp"

#include <algorithm>
#include <utility>

namespace whence::tools {

namespace json = boost::json;

WatchStream::WatchStream(json::object params) : params_(std::move(params)) {
  is_in_snapshot_ = params_.contains("snapshot");
}

json::object WatchStream::params() const {
  if (!has_begun_) return params_;
  json::object resumed = params_;
  resumed["since"] = tx_;
  resumed["epoch"] = epoch_;
  if (!is_in_snapshot_) resumed.erase("snapshot");
  return resumed;
}

void WatchStream::begin(json::object const& answer, json::value const& epoch) {
  has_begun_ = true;
  sub_ = schema::json::text_at(answer, "sub");
  tx_ = count_of(answer, "from_tx");
  epoch_ = epoch;
  last_ = 0;
}

Fit WatchStream::take(WatchEvent const& event) {
  if (event.is_snapshot) {
    last_ = event.tx;
    return snapshot_refs_.emplace(schema::json::text_at(event.value, "ref")).second ? Fit::news : Fit::known;
  }
  bool const is_next = event.tx != last_;
  if (is_next && event.prev != last_) return Fit::gap;
  end_snapshot();
  last_ = event.tx;
  tx_ = std::max(tx_, event.tx);
  return Fit::news;
}

void WatchStream::catch_up(std::uint64_t tx) {
  end_snapshot();
  pass(tx);
}

void WatchStream::pass(std::uint64_t tx) {
  if (!is_in_snapshot_) tx_ = std::max(tx_, tx);
}

void WatchStream::end_snapshot() {
  is_in_snapshot_ = false;
  snapshot_refs_ = {};
}

}  // namespace whence::tools
