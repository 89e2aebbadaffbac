// Events are found by the history of each node, and made again from the log transaction by transaction.

#include "net/proof/bundle.hpp"

#include "engine/engine.hpp"
#include "queries/history/history.hpp"
#include "queries/view/resolve.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/proof/bundle.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace whence::net {
namespace {

using queries::VertexId;
using schema::TxId;

/// The transactions in which a node has events.
Result<std::vector<TxId>> transactions_of(queries::View const& view, VertexId vertex) {
  queries::HistoryParams const params{.ref = {view.snapshot.type(vertex), std::string(view.snapshot.id(vertex))}};
  auto const history = queries::history_get(view, params, {schema::NoInterrupt{}, bundle_nodes_max});
  if (!history) return history.error();
  std::vector<TxId> transactions;
  for (auto const& event : history->events) {
    if (event.op != queries::HistoryOp::feedback) transactions.push_back(event.tx);
  }
  return transactions;
}

/// Adds the records by which the log's key was handed over, for who has an earlier one. One that is deleted is not
/// there any more.
void add_key_changes(std::vector<VertexId>& vertices, TransparencyLog const& log, queries::View const& view) {
  for (auto const& key : log.verifier_keys()) {
    auto const found = queries::resolve(view.snapshot, key_change_ref(key), "");
    if (found && std::ranges::find(vertices, *found) == vertices.end()) vertices.push_back(*found);
  }
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

Error too_large() {
  return {.code = Errc::limit_exceeded,
          .message = "the bundle would have more than " + std::to_string(schema::proof::bundle_bytes_max >> 20U) +
                     " MiB: leave contents out, or prove fewer records at once"};
}

/// Collects the events of a bundle, transaction by transaction.
class BundleMaker {
 public:
  BundleMaker(engine::Engine const& engine, TransparencyLog const& log, BundleContents const& contents,
              std::vector<VertexId> const& vertices, SignedCheckpoint const& checkpoint)
      : engine_(engine), log_(log), contents_(contents), checkpoint_(checkpoint) {
    for (auto const vertex : vertices) wanted_.insert(schema::number(vertex));
  }

  [[nodiscard]] Result<void> take(TxId tx, std::vector<schema::proof::BundleEvent>& events) const {
    auto const is_wanted = [this](VertexId vertex) { return wanted_.contains(schema::number(vertex)); };
    auto const read = log_.read_leaves(tx, is_wanted);
    if (!read) return read.error();
    auto const first = log_.tree().size_after(TxId{schema::number(tx) - 1});
    for (std::size_t i = 0; i < read->leaves.leaves.size(); ++i) {
      if (!is_wanted(read->leaves.leaves[i].vertex)) continue;
      auto event = make(*read, i, first + i);
      if (!event) return event.error();
      events.push_back(std::move(*event));
    }
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
    if (!leaf.content || (contents_.is_withheld && contents_.is_withheld(leaf.vertex))) return event;
    auto opening = engine_.open_content(read.contents[*leaf.content]);
    if (!opening) return opening.error();
    if (*opening) event.record = {.salt = (*opening)->salt, .json = std::move((*opening)->text)};
    return event;
  }

  engine::Engine const& engine_;
  TransparencyLog const& log_;
  BundleContents const& contents_;
  SignedCheckpoint const& checkpoint_;
  std::unordered_set<std::uint32_t> wanted_ = {};
};

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
                                BundleContents const& contents) {
  if (contents.vertices.size() > bundle_nodes_max) {
    return Error{Errc::limit_exceeded, "the bundle would have " + std::to_string(contents.vertices.size()) +
                                           " nodes, at most " + std::to_string(bundle_nodes_max) + " may be in one"};
  }
  auto const checkpoint = log.checkpoint_at(view.snapshot.tx());
  if (!checkpoint) return checkpoint.error();
  auto vertices = contents.vertices;
  add_key_changes(vertices, log, view);
  std::vector<TxId> transactions;
  for (auto const vertex : vertices) {
    auto const of_one = transactions_of(view, vertex);
    if (!of_one) return of_one.error();
    transactions.insert(transactions.end(), of_one->begin(), of_one->end());
  }
  std::ranges::sort(transactions);
  transactions.erase(std::unique(transactions.begin(), transactions.end()), transactions.end());
  schema::proof::Bundle bundle{
      .about = schema::format_ref(view.snapshot.type(contents.about), view.snapshot.id(contents.about)),
      .checkpoint = checkpoint->note};
  BundleMaker const maker(engine, log, contents, vertices, *checkpoint);
  std::size_t bytes = 0;
  for (auto const tx : transactions) {
    auto const before = bundle.events.size();
    if (auto const taken = maker.take(tx, bundle.events); !taken) return taken.error();
    for (auto i = before; i < bundle.events.size(); ++i) bytes += bytes_of(bundle.events[i]);
    if (bytes > schema::proof::bundle_bytes_max) return too_large();
  }
  if (contents.is_certificate) {
    auto before = tree_before(log, view.snapshot.created(contents.about), *checkpoint);
    if (!before) return before.error();
    bundle.before = std::move(*before);
  }
  return schema::proof::format_bundle(bundle);
}

}  // namespace whence::net
