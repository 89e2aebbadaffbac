// A bundle that would be too large is made as two of half the transactions.

#include "tools/cli/evidence/proof.hpp"

#include "net/plain_text/cell.hpp"
#include "schema/json/json.hpp"

#include <deque>
#include <optional>
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
  auto const* const told = object == nullptr ? nullptr : object->if_contains("code");
  return told != nullptr && told->is_int64() && told->get_int64() == code;
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

/// Whether a bundle cannot be made of so much: then of less it may.
bool is_too_large(CallError const& error) {
  return is_rpc_code(error, limit_exceeded_code);
}

json::object params_of_piece(Piece const& piece) {
  json::object params{{"first_tx", piece.first_tx}, {"last_tx", piece.last_tx}};
  if (!piece.refs.empty()) params["beside"] = json::array(piece.refs.begin(), piece.refs.end());
  return params;
}

/// Events of a bundle that are leaves from `begin` up to `end`; the records of key changes may lie elsewhere.
std::uint64_t events_between(json::value const& bundle, std::uint64_t begin, std::uint64_t end) {
  auto const* const object = bundle.if_object();
  auto const* const events = object == nullptr ? nullptr : object->if_contains("events");
  if (events == nullptr || !events->is_array()) return 0;
  std::uint64_t count = 0;
  for (auto const& event : events->get_array()) {
    auto const* const index = event.is_object() ? event.get_object().if_contains("index") : nullptr;
    if (index == nullptr || !index->is_number()) continue;
    boost::system::error_code failed;
    auto const number = index->to_number<std::uint64_t>(failed);
    if (!failed && begin <= number && number < end) ++count;
  }
  return count;
}

/// Makes the bundles of a period.
class Bundles {
 public:
  Bundles(Caller& caller, Pieces const& pieces, PutFile const& put, std::uint64_t begin, std::uint64_t end)
      : caller_(caller), put_(put), begin_(begin), end_(end), waiting_(pieces.all().begin(), pieces.all().end()) {}

  [[nodiscard]] CallResult<void> make() {
    while (!waiting_.empty() && files_.size() < proof_files_max) {
      auto piece = std::move(waiting_.front());
      waiting_.pop_front();
      if (auto const made = make_one(std::move(piece)); !made) return made.error();
    }
    return {};
  }

  [[nodiscard]] json::array files() const { return files_; }
  /// The leaves of the period that are proved.
  [[nodiscard]] std::uint64_t leaves() const noexcept { return leaves_; }

 private:
  CallResult<void> make_one(Piece piece) {
    auto const bundle = caller_.call("log.bundle", params_of_piece(piece));
    if (!bundle && is_too_large(bundle.error()) && piece.first_tx < piece.last_tx) {
      auto const middle = piece.first_tx + (piece.last_tx - piece.first_tx) / 2;
      auto second = piece;
      second.first_tx = middle + 1;
      piece.last_tx = middle;
      waiting_.push_front(std::move(second));
      waiting_.push_front(std::move(piece));
      return {};
    }
    // One transaction that is too large, or in which nothing was recorded that a bundle could be about.
    bool const is_left_out = !bundle && (is_too_large(bundle.error()) || bundle.error().exit == ExitCode::not_found);
    if (is_left_out) return {};
    if (!bundle) return bundle.error();
    auto const name = proof_name(files_.size() + 1);
    put_(name, schema::json::to_text(*bundle) + '\n');
    auto const leaves = events_between(*bundle, begin_, end_);
    leaves_ += leaves;
    files_.push_back(
        json::object{{"file", name}, {"first_tx", piece.first_tx}, {"last_tx", piece.last_tx}, {"leaves", leaves}});
    return {};
  }

  Caller& caller_;
  PutFile const& put_;
  std::uint64_t const begin_;
  std::uint64_t const end_;
  std::deque<Piece> waiting_;
  json::array files_ = {};
  std::uint64_t leaves_ = 0;
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
  if (pieces.first_tx() == 0) return report;
  auto const after = checkpoint_after(caller, pieces.last_tx());
  if (!after) return after.error();
  Signed before;
  if (pieces.first_tx() > 1) {
    auto const found = checkpoint_after(caller, pieces.first_tx() - 1);
    if (!found) return found.error();
    before = *found;
  }
  if (before.size > 0) {
    auto const hashes = consistency_of(caller, before.size, after->size);
    if (!hashes) return hashes.error();
    put(before_name, before.note);
    put(consistency_name, *hashes);
    report["before"] = before.size;
  }
  put(after_name, after->note);
  Bundles bundles(caller, pieces, put, before.size, after->size);
  if (auto const made = bundles.make(); !made) return made.error();
  report["files"] = bundles.files();
  report["after"] = after->size;
  report["key"] = after->key;
  report["leaves"] = bundles.leaves();
  report["whole"] = !pieces.has_scope() && bundles.leaves() == after->size - before.size;
  return report;
}

}  // namespace whence::tools
