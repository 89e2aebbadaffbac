// A bundle that would be too large is made as two of half the transactions.

#include "tools/cli/evidence/proof.hpp"

#include "net/plain_text/cell.hpp"
#include "net/proof/transparency_log.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include <boost/json/array.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;
using net::plain_text::cell;

/// A checkpoint as a server tells it.
struct Signed {
  std::uint64_t size = 0;
  std::string note = {};
  std::string key = {};
};

constexpr std::int64_t limit_exceeded_code = -32050;
constexpr std::int64_t busy_code = -32051;

bool is_rpc_code(CallError const& error, std::int64_t code) {
  auto const* const object = error.rpc_error.if_object();
  auto const* const held = object == nullptr ? nullptr : object->if_contains("code");
  return held != nullptr && held->is_int64() && held->get_int64() == code;
}

/// Each call waits a second for a tree that is being made anew.
constexpr int tree_waits_max = 60;

CallResult<Signed> checkpoint_after(Caller& caller, std::uint64_t tx) {
  auto answer = caller.call("log.checkpoint", json::object{{"tx", tx}});
  for (int i = 1; i < tree_waits_max && !answer && is_rpc_code(answer.error(), busy_code); ++i) {
    answer = caller.call("log.checkpoint", json::object{{"tx", tx}});
  }
  if (!answer) return answer.error();
  auto const* const size = answer->is_object() ? answer->get_object().if_contains("size") : nullptr;
  boost::system::error_code failed;
  auto const number = size != nullptr && size->is_number() ? size->to_number<std::uint64_t>(failed) : 0;
  if (size == nullptr || failed) return CallError{.message = "log.checkpoint: the result has no size"};
  auto const& object = answer->get_object();
  return Signed{.size = number, .note = cell(object, "checkpoint"), .key = cell(object, "key")};
}

/// Whether a bundle cannot be made of so much, or not now: then of less it may.
bool is_too_large(CallError const& error) {
  return is_rpc_code(error, limit_exceeded_code) || is_rpc_code(error, busy_code);
}

json::object params_of_piece(Piece const& piece) {
  json::object params{{"first_tx", piece.first_tx}, {"last_tx", piece.last_tx}};
  if (!piece.refs.empty()) params["beside"] = json::array(piece.refs.begin(), piece.refs.end());
  return params;
}

/// The events of a bundle; a server may be anybody.
json::array* events_in(json::value& bundle) {
  auto* const object = bundle.if_object();
  auto* const events = object == nullptr ? nullptr : object->if_contains("events");
  return events == nullptr ? nullptr : events->if_array();
}

/// Takes out what became of a ref before it was of the scope, and after: events.jsonl has no line of it.
void leave_out_others(json::value& bundle, Piece const& piece) {
  auto* const events = events_in(bundle);
  if (events == nullptr || piece.refs.empty()) return;
  std::unordered_map<std::string_view, std::uint64_t> since;
  for (std::size_t i = 0; i < piece.refs.size(); ++i) since.emplace(piece.refs[i], piece.since[i]);
  json::array left;
  for (auto& event : *events) {
    auto const line = schema::json::parse(event.is_object() ? cell(event.get_object(), "line") : std::string{});
    auto const* const members = line ? line->value.if_object() : nullptr;
    auto const found = members == nullptr ? since.end() : since.find(cell(*members, "ref"));
    auto const* const tx = found == since.end() ? nullptr : members->if_contains("tx");
    boost::system::error_code failed;
    auto const number = tx != nullptr && tx->is_number() ? tx->to_number<std::uint64_t>(failed) : UINT64_MAX;
    bool const is_other = found != since.end() && !failed &&
                          (number < found->second ||
                           piece.others.contains(event_key(number, cell(*members, "op"), cell(*members, "ref"))));
    if (!is_other) left.push_back(std::move(event));
  }
  *events = std::move(left);
}

/// The types whose contents a bundle may withhold.
json::array all_types(json::value const& described) {
  json::array names;
  auto const* const object = described.if_object();
  auto const* const types = object == nullptr ? nullptr : object->if_contains("x-whence-types");
  auto const* const records =
      types == nullptr || !types->is_object() ? nullptr : types->get_object().if_contains("records");
  if (records == nullptr || !records->is_array()) return names;
  for (auto const& each : records->get_array()) {
    auto const* const type = each.if_object();
    auto const* const is_node = type == nullptr ? nullptr : type->if_contains("is_node");
    if (is_node != nullptr && is_node->is_bool() && is_node->get_bool()) names.emplace_back(cell(*type, "name"));
  }
  return names;
}

/// Makes the bundles of a period.
class Bundles {
 public:
  Bundles(Caller& caller, Pieces const& pieces, PutFile const& put, std::uint64_t begin, std::uint64_t end)
      : caller_(caller),
        put_(put),
        begin_(begin),
        proved_(static_cast<std::size_t>(end - begin)),
        waiting_(pieces.all().begin(), pieces.all().end()) {}

  [[nodiscard]] CallResult<void> make() {
    while (!waiting_.empty() && files_.size() < proof_files_max) {
      auto piece = std::move(waiting_.front());
      waiting_.pop_front();
      if (auto const made = make_one(std::move(piece)); !made) return made.error();
    }
    return {};
  }

  /// Where there is no other bundle, one of the records by which the log's key was handed over: who has an earlier one
  /// could not follow to `key` else. None where it was never changed.
  [[nodiscard]] CallResult<void> make_of_keys(std::string const& key, std::uint64_t last_tx) {
    if (!files_.empty()) return {};
    auto const ref = schema::format_ref(net::key_change_ref(key));
    auto bundle = caller_.call("log.bundle", json::object{{"ref", ref}});
    if (!bundle && bundle.error().exit == ExitCode::not_found) return {};
    if (!bundle) return bundle.error();
    put_bundle(*bundle, {.first_tx = last_tx, .last_tx = last_tx});
    return {};
  }

  [[nodiscard]] json::array files() const { return files_; }
  /// The leaves of the period that are proved.
  [[nodiscard]] std::uint64_t leaves() const noexcept {
    return static_cast<std::uint64_t>(std::count(proved_.begin(), proved_.end(), true));
  }

 private:
  CallResult<void> make_one(Piece piece) {
    auto bundle = caller_.call("log.bundle", params_of_piece(piece));
    if (!bundle && bundle.error().exit == ExitCode::not_found) bundle = make_with_earlier(piece);
    if (!bundle && is_too_large(bundle.error()) && piece.first_tx < piece.last_tx) {
      auto const middle = piece.first_tx + (piece.last_tx - piece.first_tx) / 2;
      auto second = piece;
      second.first_tx = middle + 1;
      piece.last_tx = middle;
      waiting_.push_front(std::move(second));
      waiting_.push_front(std::move(piece));
      return {};
    }
    if (!bundle && is_rpc_code(bundle.error(), limit_exceeded_code)) return {};  // one transaction
    if (!bundle) return bundle.error();
    leave_out_others(*bundle, piece);
    put_bundle(*bundle, piece);
    return {};
  }

  void put_bundle(json::value& bundle, Piece const& piece) {
    auto const name = proof_name(files_.size() + 1);
    put_(name, schema::json::to_text(bundle) + '\n');
    auto const leaves = note_leaves(bundle);
    files_.push_back(
        json::object{{"file", name}, {"first_tx", piece.first_tx}, {"last_tx", piece.last_tx}, {"leaves", leaves}});
  }

  /// A bundle is about a record that was written in it. Where nothing was but removals, it has what was before, without
  /// contents, which are not of the period.
  CallResult<json::value> make_with_earlier(Piece piece) {
    auto const described = caller_.call("rpc.discover", json::object{});
    if (!described) return described.error();
    auto const first = piece.first_tx;
    for (std::uint64_t step = 1;; step *= 2) {
      piece.first_tx = first > step ? first - step : 1;
      auto params = params_of_piece(piece);
      params["without_types"] = all_types(*described);
      auto bundle = caller_.call("log.bundle", params);
      if (bundle || bundle.error().exit != ExitCode::not_found || piece.first_tx == 1) return bundle;
    }
  }

  /// Notes which leaves of the period are proved, and counts them; key changes may lie elsewhere, and are in each
  /// bundle.
  std::uint64_t note_leaves(json::value& bundle) {
    auto const* const events = events_in(bundle);
    if (events == nullptr) return 0;
    std::uint64_t count = 0;
    for (auto const& event : *events) {
      auto const* const index = event.is_object() ? event.get_object().if_contains("index") : nullptr;
      if (index == nullptr || !index->is_number()) continue;
      boost::system::error_code failed;
      auto const number = index->to_number<std::uint64_t>(failed);
      if (failed || number < begin_ || number - begin_ >= proved_.size()) continue;
      proved_[number - begin_] = true;
      ++count;
    }
    return count;
  }

  Caller& caller_;
  PutFile const& put_;
  std::uint64_t const begin_;
  std::vector<bool> proved_;  ///< of each leaf of the period
  std::deque<Piece> waiting_;
  json::array files_ = {};
};

/// The hashes, one a line.
CallResult<std::string> consistency_of(Caller& caller, std::uint64_t from, std::uint64_t to) {
  auto const answer = caller.call("log.consistency", json::object{{"from", from}, {"to", to}});
  if (!answer) return answer.error();
  auto const* const hashes = answer->is_object() ? answer->get_object().if_contains("proof") : nullptr;
  if (hashes == nullptr || !hashes->is_array()) return CallError{.message = "log.consistency: the result has no proof"};
  std::string text;
  for (auto const& each : hashes->get_array()) {
    if (each.is_string()) text.append(std::string_view{each.get_string()}).append("\n");
  }
  return text;
}

}  // namespace

std::string proof_name(std::size_t number) {
  return "proof-" + std::to_string(number) + ".json";
}

CallResult<json::object> put_proof(Caller& caller, Pieces const& pieces, PutFile const& put) {
  json::object report{{"files", json::array{}}, {"before", nullptr}, {"after", nullptr}, {"key", nullptr}};
  bool const is_empty = pieces.first_tx() == 0;
  auto const last_tx = is_empty ? pieces.passed_tx() : pieces.last_tx();
  if (last_tx == 0) return report;
  auto const after = checkpoint_after(caller, last_tx);
  if (!after) return after.error();
  Signed before;
  if (is_empty) before = *after;
  if (pieces.first_tx() > 1) {
    auto const found = checkpoint_after(caller, pieces.first_tx() - 1);
    if (!found) return found.error();
    before = *found;
  }
  if (before.size > 0) {
    auto const hashes =
        is_empty ? CallResult<std::string>{std::string{}} : consistency_of(caller, before.size, after->size);
    if (!hashes) return hashes.error();
    put(before_name, before.note);
    put(consistency_name, *hashes);
    report["before"] = before.size;
  }
  put(after_name, after->note);
  Bundles bundles(caller, pieces, put, before.size, after->size);
  if (auto const made = bundles.make(); !made) return made.error();
  if (auto const made = bundles.make_of_keys(after->key, last_tx); !made) return made.error();
  report["files"] = bundles.files();
  report["after"] = after->size;
  report["key"] = after->key;
  report["leaves"] = bundles.leaves();
  report["whole"] = !pieces.has_scope() && bundles.leaves() == after->size - before.size;
  return report;
}

}  // namespace whence::tools
