#include "tools/cli/backups/erased.hpp"

#include "net/base/errors.hpp"
#include "schema/base/limits.hpp"
#include "schema/json/json.hpp"
#include "store/upkeep/compact.hpp"
#include "tools/cli/transport/local_caller.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

/// The places in `refs` of a request that its error says are not known.
std::set<std::int64_t, std::greater<>> unknown_places(CallError const& error) {
  std::set<std::int64_t, std::greater<>> places;
  auto const* const object = error.rpc_error.if_object();
  auto const* const data = object != nullptr ? object->if_contains("data") : nullptr;
  auto const* const list = data != nullptr && data->is_object() ? data->get_object().if_contains("errors") : nullptr;
  if (list == nullptr || !list->is_array()) return places;
  for (auto const& each : list->get_array()) {
    auto const* const index = each.is_object() ? each.get_object().if_contains("index") : nullptr;
    if (index != nullptr && index->is_int64()) places.insert(index->get_int64());
  }
  return places;
}

/// Purges what is known of `refs`; returns how many records lost their contents.
CallResult<std::uint64_t> purge_known(Caller& caller, std::vector<std::string> refs) {
  while (!refs.empty()) {
    json::object const params{{"refs", json::array(refs.begin(), refs.end())}};
    auto const done = caller.call("records.purge", params);
    if (done) return std::uint64_t{done->at("purged").as_array().size()};
    auto const unknown = unknown_places(done.error());
    bool const is_unknown = done.error().exit == ExitCode::not_found && !unknown.empty() &&
                            *unknown.begin() < static_cast<std::int64_t>(refs.size());
    if (!is_unknown) return done.error();
    for (auto const place : unknown) refs.erase(refs.begin() + place);
  }
  return std::uint64_t{0};
}

}  // namespace

CallResult<std::vector<std::string>> read_erased(std::filesystem::path const& file) {
  std::ifstream in(file);
  if (!in) return invalid_input("cannot read " + file.string());
  std::set<std::string> refs;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) refs.insert(std::move(line));
  }
  return std::vector<std::string>(refs.begin(), refs.end());
}

CallResult<std::uint64_t> apply_erased(std::filesystem::path const& directory, std::vector<std::string> refs,
                                       schema::Interrupt const& interrupt, store::Advance const& advance) {
  std::uint64_t purged = 0;
  {
    auto const caller = LocalCaller::open(directory, MissingStore::is_error);
    if (!caller) return caller.error();
    for (std::size_t begin = 0; begin < refs.size(); begin += schema::limits::refs_max) {
      auto const end = std::min(refs.size(), begin + schema::limits::refs_max);
      std::vector<std::string> part(refs.begin() + static_cast<std::ptrdiff_t>(begin),
                                    refs.begin() + static_cast<std::ptrdiff_t>(end));
      auto const done = purge_known(**caller, std::move(part));
      if (!done) return done.error();
      purged += *done;
    }
  }
  auto const compacted = store::compact(directory, interrupt, advance);
  if (!compacted) {
    return CallError{.exit = exit_code_of(net::wire_code(compacted.error().code)),
                     .message = compacted.error().message};
  }
  return purged;
}

}  // namespace whence::tools
