// Two questions, one at a time: `log.checkpoint`, and where the tree has grown since, `log.consistency`, whose proof is
// verified here. A server that refuses one is asked again on the next connection only.

#include "tools/cli/watch/tree.hpp"

#include "schema/json/members.hpp"
#include "schema/proof/checkpoint.hpp"
#include "schema/proof/signed_note.hpp"
#include "tools/cli/watch/message.hpp"

#include <utility>
#include <vector>

namespace whence::tools {
namespace {

namespace json = boost::json;
namespace proof = schema::proof;

/// The tree that an answer of `log.checkpoint` says; nothing where it is none.
std::optional<proof::TreeHead> tree_in(json::object const& answer) {
  auto const note = proof::parse_note(schema::json::text_at(answer, "checkpoint"));
  if (!note) return std::nullopt;
  auto const checkpoint = proof::parse_checkpoint(note->text);
  return checkpoint ? std::optional(checkpoint->tree) : std::nullopt;
}

/// The hashes in an answer of `log.consistency`; nothing where it has none.
std::optional<std::vector<schema::Digest>> hashes_in(json::object const& answer) {
  auto const* const list = answer.if_contains("proof");
  if (list == nullptr || !list->is_array()) return std::nullopt;
  std::vector<schema::Digest> hashes;
  for (json::value const& each : list->get_array()) {
    auto const hash = each.is_string() ? proof::parse_hash(each.get_string()) : std::nullopt;
    if (!hash) return std::nullopt;
    hashes.push_back(*hash);
  }
  return hashes;
}

}  // namespace

void SeenTree::restart() noexcept {
  asked_.reset();
  is_waiting_ = false;
  is_refused_ = false;
}

std::optional<SeenTree::Request> SeenTree::next() {
  if (is_waiting_ || is_refused_) return std::nullopt;
  is_waiting_ = true;
  return Request{.method = "log.checkpoint"};
}

CallResult<std::optional<SeenTree::Request>> SeenTree::take(std::string const& server, json::object answer) {
  is_waiting_ = false;
  auto const asked = std::exchange(asked_, std::nullopt);
  auto const result = result_of(std::move(answer));
  is_refused_ = !result && result.error().exit != ExitCode::unreachable;  // who is busy is asked again
  if (!result || !result->is_object()) return std::optional<Request>{};
  auto const& shown = result->get_object();
  if (asked) {
    if (auto const compared = compare(server, *asked, shown); !compared) return compared.error();
    seen_ = asked;
    return std::optional<Request>{};
  }
  auto const now = tree_in(shown);
  bool const is_first = !seen_ || seen_->size == 0;
  if (now && is_first) seen_ = now;
  bool const is_comparable = now && !is_first && now->size >= seen_->size && *now != *seen_;
  if (!is_comparable) return std::optional<Request>{};
  asked_ = now;
  is_waiting_ = true;
  return std::optional(Request{.method = "log.consistency", .params = {{"from", seen_->size}, {"to", asked_->size}}});
}

CallResult<void> SeenTree::compare(std::string const& server, proof::TreeHead const& now, json::object const& shown) {
  auto const hashes = hashes_in(shown);
  if (hashes && proof::verify_consistency(*seen_, now, *hashes)) return {};
  return CallError{.exit = ExitCode::verification_failed,
                   .message = "the log of " + server + " is not the one that was watched before (a fork): its " +
                              std::to_string(now.size) + " events do not begin with the " +
                              std::to_string(seen_->size) + " that were there"};
}

}  // namespace whence::tools
