// Lines of JSON as the server's log writes them.

#include "tools/cli/evidence/reads.hpp"

#include "net/plain_text/cell.hpp"
#include "schema/json/json.hpp"
#include "tools/cli/process/io.hpp"

#include <fstream>

#include <boost/json/array.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;
using net::plain_text::cell;

}  // namespace

CallResult<void> ReadCounts::take_files(std::vector<std::string> const& paths, schema::Time from, schema::Time to) {
  for (auto const& path : paths) {
    std::ifstream file(path, std::ios::binary);
    if (auto refused = find_unreadable(path); refused || !file) {
      auto const exit = refused ? refused->exit : ExitCode::failure;
      return CallError{.exit = exit, .message = "--reads: " + (refused ? refused->why : path + " cannot be read")};
    }
    for (std::string line; std::getline(file, line);) take(line, from, to);
    if (file.bad()) return CallError{.message = "--reads: cannot read " + path};
  }
  return {};
}

void ReadCounts::take(std::string const& line, schema::Time from, schema::Time to) {
  auto const parsed = schema::json::parse(line);
  auto const* const event = parsed ? parsed->value.if_object() : nullptr;
  if (event == nullptr) {
    ++unread_;
    return;
  }
  if (cell(*event, "component") != "access" || cell(*event, "event") != "read") return;
  auto const at = schema::parse_rfc3339(cell(*event, "timestamp"));
  auto const* const data = event->if_contains("data");
  if (!at || data == nullptr || !data->is_object()) {
    ++unread_;
    return;
  }
  if (*at < from || *at > to) return;
  auto const& said = data->get_object();
  ++count_;
  if (auto const* const untold = said.if_contains("untold_before"); untold != nullptr && untold->is_int64()) {
    untold_ += static_cast<std::uint64_t>(untold->get_int64());
  }
  std::pair<std::string, std::string> key{cell(said, "who"), cell(said, "method")};
  if (by_.size() == pairs_max && !by_.contains(key)) {
    ++others_;
  } else {
    ++by_[std::move(key)];
  }
}

json::object ReadCounts::report() const {
  json::array by;
  for (auto const& [key, count] : by_) {
    by.push_back(json::object{{"who", key.first}, {"method", key.second}, {"count", count}});
  }
  return {{"count", count_}, {"untold", untold_}, {"unread", unread_}, {"others", others_}, {"by", std::move(by)}};
}

}  // namespace whence::tools
