// Events are found by the history of each node, and made again from the log transaction by transaction.

#include "net/proof/bundle.hpp"

#include "engine/engine.hpp"
#include "net/base/errors.hpp"
#include "queries/history/history.hpp"
#include "queries/view/resolve.hpp"
#include "schema/base/poll.hpp"
#include "schema/json/json.hpp"
#include "schema/proof/bundle.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

namespace whence::net {
namespace {

using queries::VertexId;
using schema::TxId;

auto is_in(TxRange range) {
  return [range](TxId tx) { return range.first <= tx && tx <= range.last; };
}

/// The transactions in which a node has events; of one that is deleted too.
Result<std::vector<TxId>> transactions_of(queries::View const& view, VertexId vertex,
                                          schema::Interrupt const& interrupt) {
  queries::HistoryParams const params{.ref = {view.snapshot.type(vertex), std::string(view.snapshot.id(vertex))},
                                      .deleted = true};
  auto const history = queries::history_get(view, params, {interrupt, bundle_nodes_max});
  if (!history) return history.error();
  std::vector<TxId> transactions;
  for (auto const& event : history->events) {
    if (event.op != queries::HistoryOp::feedback) transactions.push_back(event.tx);
  }
  return transactions;
}

/// Those of all these nodes.
Result<std::vector<TxId>> transactions_of(queries::View const& view, std::vector<VertexId> const& vertices,
                                          schema::Interrupt const& interrupt) {
  std::vector<TxId> transactions;
  for (auto const vertex : vertices) {
    auto const of_one = transactions_of(view, vertex, interrupt);
    if (!of_one) return of_one.error();
    transactions.insert(transactions.end(), of_one->begin(), of_one->end());
  }
  return transactions;
}

/// With all lives of the nodes: a history tells of those that a deletion ended, too.
std::vector<VertexId> with_lives(queries::View const& view, std::vector<VertexId> const& vertices) {
  std::vector<VertexId> lives;
  for (auto const vertex : vertices) {
    auto const own = view.snapshot.find_all_ever(view.snapshot.type(vertex), view.snapshot.id(vertex));
    lives.insert(lives.end(), own.begin(), own.end());
  }
  return lives;
}

/// The records by which the log's key was handed over, for who has an earlier one. One that is deleted is not there any
/// more.
std::vector<VertexId> find_key_changes(TransparencyLog const& log, queries::View const& view) {
  std::vector<VertexId> changes;
  for (auto const& key : log.verifier_keys()) {
    if (auto const found = queries::resolve(view.snapshot, key_change_ref(key), "")) changes.push_back(*found);
  }
  return changes;
}

/// The tree before transaction `tx`, which the checkpoint's continues. Fails with `not_found` where it erased no
/// person.
Result<schema::proof::TreeBefore> tree_before(TransparencyLog const& log, TxId tx, SignedCheckpoint const& checkpoint) {
  auto const read = log.read_leaves(tx, [](VertexId) { return false; });
  if (!read) return read.error();
  if (read->leaves.purges == 0) return Error{Errc::not_found, "this is no record of an erasure"};
  auto const size = log.tree().size_after(TxId{schema::number(tx) - 1});
  auto proof = schema::proof::consistency_proof(size, checkpoint.size, nodes_of(log.tree()));
  if (!proof) return proof.error();
  return schema::proof::TreeBefore{.tree = {.size = size, .root = log.tree().root(size)}, .proof = std::move(*proof)};
}

/// About what it takes in the text.
std::size_t bytes_of(schema::proof::BundleEvent const& event) {
  constexpr std::size_t hash_bytes = 48;  // in base64, with quotes and comma
  return event.line.size() + hash_bytes * (event.proof.size() + 1) + (event.record ? event.record->json.size() : 0);
}

Error too_large(std::size_t bytes_max) {
  return {.code = Errc::limit_exceeded,
          .message = "the bundle would have more than " + std::to_string(bytes_max >> 20U) +
                     " MiB: leave contents out, or prove fewer records at once"};
}

/// Collects the events of a bundle, transaction by transaction.
class BundleMaker {
 public:
  BundleMaker(engine::Engine const& engine, TransparencyLog const& log,
              std::function<bool(VertexId)> const& is_withheld, std::vector<VertexId> const& vertices,
              SignedCheckpoint const& checkpoint, Progress const& progress)
      : engine_(engine),
        log_(log),
        is_withheld_(is_withheld),
        checkpoint_(checkpoint),
        poll_(*progress.interrupt),
        may_hold_(progress.may_hold),
        bytes_max_(std::min(schema::proof::bundle_bytes_max, progress.holds_max / held_of_byte)) {
    for (auto const vertex : vertices) wanted_.insert(schema::number(vertex));
  }

  /// Takes these nodes too, whose contents are never withheld.
  void take_open(std::vector<VertexId> const& vertices) {
    for (auto const vertex : vertices) {
      wanted_.insert(schema::number(vertex));
      open_.insert(schema::number(vertex));
    }
  }

  /// In these transactions the events of all nodes are taken.
  void take_all_in(TxRange range) { all_in_ = range; }

  [[nodiscard]] Result<void> take(TxId tx, std::vector<schema::proof::BundleEvent>& events) {
    bool const is_all = all_in_ && is_in(*all_in_)(tx);
    auto const is_wanted = [&](VertexId vertex) { return is_all || wanted_.contains(schema::number(vertex)); };
    auto const read = log_.read_leaves(tx, is_wanted);
    if (!read) return read.error();
    auto const first = log_.tree().size_after(TxId{schema::number(tx) - 1});
    for (std::size_t i = 0; i < read->leaves.leaves.size(); ++i) {
      if (!is_wanted(read->leaves.leaves[i].vertex)) continue;
      if (poll_.must_stop(steps_per_event)) return poll_.error();
      auto event = make(*read, i, first + i);
      if (!event) return event.error();
      bytes_ += bytes_of(*event);
      events.push_back(std::move(*event));
      if (bytes_ > bytes_max_ || events.size() > schema::proof::bundle_events_max) return too_large(bytes_max_);
    }
    if (may_hold_ && !may_hold_(held_of_byte * bytes_))
      return busy_error("there is not enough memory for this bundle now");
    return {};
  }

 private:
  [[nodiscard]] Result<schema::proof::BundleEvent> make(TransparencyLog::Leaves const& read, std::size_t place,
                                                        std::uint64_t index) const {
    auto proof = schema::proof::inclusion_proof(index, checkpoint_.size, nodes_of(log_.tree()));
    if (!proof) return proof.error();
    schema::proof::BundleEvent event{
        .index = index, .line = std::string{read.leaves.line(place)}, .proof = std::move(*proof)};
    auto const& leaf = read.leaves.leaves[place];
    bool const is_withheld = is_withheld_ && is_withheld_(leaf.vertex) && !open_.contains(schema::number(leaf.vertex));
    if (!leaf.content || is_withheld) return event;
    auto opening = engine_.open_content(read.contents[*leaf.content]);
    if (!opening) return opening.error();
    if (*opening) event.record = {.salt = (*opening)->salt, .json = std::move((*opening)->text)};
    return event;
  }

  engine::Engine const& engine_;
  TransparencyLog const& log_;
  std::function<bool(VertexId)> const& is_withheld_;
  SignedCheckpoint const& checkpoint_;
  std::unordered_set<std::uint32_t> wanted_ = {};
  std::unordered_set<std::uint32_t> open_ = {};
  std::optional<TxRange> all_in_ = {};
  static constexpr std::uint64_t steps_per_event = 64;  ///< a proof and a record are read for it
  static constexpr std::size_t held_of_byte = 2;        ///< the events, and the text that is made of them
  schema::Poll poll_;
  std::function<bool(std::size_t)> const& may_hold_;
  std::size_t const bytes_max_;
  std::size_t bytes_ = 0;
};

/// The events of the transactions, in their order. Fails with `limit_exceeded`.
Result<std::vector<schema::proof::BundleEvent>> events_of(BundleMaker& maker, std::vector<TxId>& transactions) {
  std::ranges::sort(transactions);
  transactions.erase(std::unique(transactions.begin(), transactions.end()), transactions.end());
  std::vector<schema::proof::BundleEvent> events;
  for (auto const tx : transactions) {
    if (auto const taken = maker.take(tx, events); !taken) return taken.error();
  }
  return events;
}

/// The first node of which a record was written among the events.
Result<std::string> first_ref(std::vector<schema::proof::BundleEvent> const& events, TxRange range) {
  for (auto const& event : events) {
    auto const line = schema::json::parse(event.line);
    if (!line || !line->value.is_object()) continue;
    auto const& members = line->value.get_object();
    auto const text = [&](std::string_view name) {
      auto const* const value = members.if_contains(name);
      return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string{};
    };
    auto const* const tx = members.if_contains("tx");
    if (tx == nullptr || !tx->is_number()) continue;
    boost::system::error_code failed;
    auto const number = tx->to_number<std::uint64_t>(failed);
    if (failed || number < schema::number(range.first) || number > schema::number(range.last)) continue;
    if (text("op") == "put" || text("op") == "version") return text("ref");
  }
  return Error{Errc::not_found, "no record was written in these transactions"};
}

}  // namespace

schema::proof::FindNode nodes_of(engine::EventTree const& tree) {
  return [&tree](schema::proof::Subtree subtree) -> Result<schema::Digest> {
    return tree.node(subtree.level, subtree.index);
  };
}

Result<schema::proof::TlogProof> make_proof(engine::EventTree const& tree, std::uint64_t index,
                                            SignedCheckpoint const& checkpoint) {
  auto proof = schema::proof::inclusion_proof(index, checkpoint.size, nodes_of(tree));
  if (!proof) return proof.error();
  return schema::proof::TlogProof{.index = index, .proof = std::move(*proof), .checkpoint = checkpoint.note};
}

Result<std::string> make_bundle(engine::Engine const& engine, TransparencyLog const& log, queries::View const& view,
                                BundleContents const& contents, Progress const& progress) {
  if (contents.vertices.size() > bundle_nodes_max) {
    return Error{Errc::limit_exceeded, "the bundle would have " + std::to_string(contents.vertices.size()) +
                                           " nodes, at most " + std::to_string(bundle_nodes_max) + " may be in one"};
  }
  auto const checkpoint = log.checkpoint_at(view.snapshot.tx());
  if (!checkpoint) return checkpoint.error();
  auto const changes = find_key_changes(log, view);
  auto vertices = contents.vertices;
  vertices.insert(vertices.end(), changes.begin(), changes.end());
  auto transactions = transactions_of(view, vertices, *progress.interrupt);
  if (!transactions) return transactions.error();
  BundleMaker maker(engine, log, contents.is_withheld, with_lives(view, contents.vertices), *checkpoint, progress);
  maker.take_open(changes);
  auto events = events_of(maker, *transactions);
  if (!events) return events.error();
  schema::proof::Bundle bundle{
      .about = schema::format_ref(view.snapshot.type(contents.about), view.snapshot.id(contents.about)),
      .checkpoint = checkpoint->note,
      .events = std::move(*events)};
  if (contents.is_certificate) {
    auto before = tree_before(log, view.snapshot.created(contents.about), *checkpoint);
    if (!before) return before.error();
    bundle.before = std::move(*before);
  }
  return schema::proof::format_bundle(bundle);
}

Result<std::string> make_period_bundle(engine::Engine const& engine, TransparencyLog const& log,
                                       queries::View const& view, PeriodContents const& contents,
                                       Progress const& progress) {
  auto const checkpoint = log.checkpoint_at(view.snapshot.tx());
  if (!checkpoint) return checkpoint.error();
  auto const range = contents.range;
  if (range.first > range.last || range.last > view.snapshot.tx()) {
    return Error{Errc::not_found, "the log has transactions 1 to " +
                                      std::to_string(schema::number(view.snapshot.tx())) +
                                      ", and `first_tx` is at most `last_tx`"};
  }
  auto const& tree = log.tree();
  auto const count = tree.size_after(range.last) - tree.size_after(TxId{schema::number(range.first) - 1});
  if (contents.is_of_all && count > schema::proof::bundle_events_max) return too_large(schema::proof::bundle_bytes_max);
  auto const changes = find_key_changes(log, view);
  auto transactions = transactions_of(view, changes, *progress.interrupt);
  if (!transactions) return transactions.error();
  auto const of_those = transactions_of(view, contents.vertices, *progress.interrupt);
  if (!of_those) return of_those.error();
  std::ranges::copy_if(*of_those, std::back_inserter(*transactions), is_in(range));
  if (contents.is_of_all) {
    for (auto tx = range.first; tx <= range.last; tx = schema::next(tx)) transactions->push_back(tx);
  }
  BundleMaker maker(engine, log, contents.is_withheld, with_lives(view, contents.vertices), *checkpoint, progress);
  maker.take_open(changes);
  if (contents.is_of_all) maker.take_all_in(range);
  auto events = events_of(maker, *transactions);
  if (!events) return events.error();
  auto about = contents.about ? Result<std::string>{schema::format_ref(contents.about->type, contents.about->id)}
                              : first_ref(*events, range);
  if (!about) return about.error();
  return schema::proof::format_bundle(
      {.about = std::move(*about), .checkpoint = checkpoint->note, .events = std::move(*events)});
}

}  // namespace whence::net
