// Params to leaves, nodes of the tree and bundles.

#include "net/log/log_calls.hpp"

#include "graph/walks/walk.hpp"
#include "net/params/params.hpp"
#include "net/proof/bundle.hpp"
#include "net/state/service_state.hpp"
#include "queries/history/history.hpp"
#include "queries/view/resolve.hpp"
#include "schema/json/writer.hpp"
#include "schema/proof/checkpoint.hpp"
#include "schema/proof/merkle.hpp"
#include "schema/proof/tlog_proof.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace whence::net {
namespace {

using queries::VertexId;
using schema::number;
using schema::TxId;

/// The node, and where it was asked for what it rests on.
Result<std::vector<VertexId>> vertices_of(queries::View const& view, VertexId about, bool has_causes,
                                          schema::Interrupt const& interrupt) {
  std::vector<VertexId> vertices{about};
  if (!has_causes) return vertices;
  graph::WalkLimits limits;
  limits.vertices_max = bundle_nodes_max;
  auto const reached = graph::reach(view.snapshot, vertices, graph::Direction::ancestors, limits, interrupt);
  if (!reached) return reached.error();
  if (reached->is_cut_by_vertices) {
    return Error{Errc::limit_exceeded, "it rests on more than " + std::to_string(bundle_nodes_max) + " nodes"};
  }
  vertices.insert(vertices.end(), reached->vertices.begin(), reached->vertices.end());
  return vertices;
}

void add_missing(std::vector<VertexId>& vertices, std::vector<VertexId> const& further) {
  std::unordered_set<std::uint32_t> known;
  for (auto const vertex : vertices) known.insert(number(vertex));
  for (auto const vertex : further) {
    if (known.insert(number(vertex)).second) vertices.push_back(vertex);
  }
}

/// An event of the log: its place in the tree, and its line.
struct FoundEvent {
  std::uint64_t index;
  std::string line;
};

/// The event at `place` of transaction `tx`, whose leaves are `read`.
FoundEvent found_event(ServiceState& service, TxId tx, std::size_t place, TransparencyLog::Leaves const& read) {
  auto const first = service.transparency->tree().size_after(TxId{number(tx) - 1});
  return {first + place, std::string{read.leaves.line(place)}};
}

/// The event of `ref` in transaction `tx`, or its newest.
Result<FoundEvent> find_event(ServiceState& service, queries::View const& view, schema::NodeRef const& ref,
                              std::optional<std::uint64_t> tx, schema::Interrupt const& interrupt) {
  auto const history = queries::history_get(view, {.ref = ref}, {interrupt, bundle_nodes_max});
  if (!history) return history.error();
  for (auto event = history->events.rbegin(); event != history->events.rend(); ++event) {
    if (event->op == queries::HistoryOp::feedback || (tx && number(event->tx) != *tx)) continue;
    auto const is_asked = [&](VertexId vertex) {
      return view.snapshot.type(vertex) == ref.type && view.snapshot.id(vertex) == ref.id;
    };
    auto const read = service.transparency->read_leaves(event->tx, is_asked);
    if (!read) return read.error();
    auto const& leaves = read->leaves.leaves;
    auto const found = std::ranges::find_if(leaves, is_asked, &queries::EventLeaves::Leaf::vertex);
    if (found == leaves.end()) continue;
    return found_event(service, event->tx, static_cast<std::size_t>(found - leaves.begin()), *read);
  }
  return Error{Errc::not_found, "the node has no event in that transaction"};
}

Result<FoundEvent> find_leaf(ServiceState& service, std::uint64_t leaf, std::uint64_t size) {
  if (leaf >= size) return Error{Errc::not_found, "the log has " + std::to_string(size) + " events, from 0 on"};
  auto const& tree = service.transparency->tree();
  auto const tx = tree.tx_of(leaf);
  auto const read = service.transparency->read_leaves(tx);
  if (!read) return read.error();
  return found_event(service, tx, leaf - tree.size_after(TxId{number(tx) - 1}), *read);
}

void write_witnesses(schema::json::Writer& out, CosignedCheckpoint const& of) {
  out.member("size", of.tree.size).key("witnesses").begin_array();
  for (auto const& each : of.witnesses) {
    out.begin_object()
        .member("key", each.key)
        .member("time", schema::format_rfc3339({.seconds = static_cast<std::int64_t>(each.time_s)}))
        .end_object();
  }
  out.end_array();
}

/// Whether the log, which has `size` events, had this tree when it was as large.
bool is_tree_of(TransparencyLog const& log, schema::proof::TreeHead const& tree, std::uint64_t size) {
  return tree.size <= size && log.tree().root(tree.size) == tree.root;
}

/// The checkpoint of a note that this log signed, which is one of its tree. Tells of one that is not.
Result<schema::proof::Checkpoint> own_checkpoint(ServiceState& service, std::string_view note,
                                                 std::span<schema::proof::VerifierKey const> keys, std::uint64_t size) {
  auto verified = schema::proof::verify_checkpoint(note, keys);
  if (!verified) {
    return error_from(
        param_violation("checkpoint", "/note", "", "is no checkpoint of this log: " + verified.error().message));
  }
  auto& given = verified->checkpoint;
  if (!given.extensions.empty()) {
    return error_from(param_violation("checkpoint", "/note", "", "has lines beyond its origin, size and root"));
  }
  if (given.tree.size > size) {
    Error set_back{Errc::conflict, "this log's key signed a tree of " + std::to_string(given.tree.size) +
                                       " events, and the log has " + std::to_string(size) + ": it was set back"};
    service.forks.tell(set_back.message);
    return set_back;
  }
  if (!is_tree_of(*service.transparency, given.tree, size)) {
    Error forked{Errc::conflict, "this log's key signed another root for " + std::to_string(given.tree.size) +
                                     " events: there are two logs of one key"};
    service.forks.show(forked.message);
    return forked;
  }
  return std::move(given);
}

/// The newest life of each, once, also of what is deleted by now: a bundle has all lives of its nodes.
Result<std::vector<VertexId>> ever_of(queries::View const& view, std::vector<schema::NodeRef> const& refs,
                                      std::string const& path) {
  std::vector<VertexId> vertices;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    auto const lives = view.snapshot.find_all_ever(refs[i].type, refs[i].id);
    if (lives.empty()) return queries::resolve(view.snapshot, refs[i], path + "/" + std::to_string(i)).error();
    vertices.push_back(lives.back());
  }
  std::ranges::sort(vertices);
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

Result<std::string> period_bundle(ServiceState& service, queries::View const& view, BundleParams const& asked,
                                  std::function<bool(VertexId)> const& is_withheld, Progress const& progress) {
  if (asked.why) return error_from(param_violation("one_of", "/why", "", "goes with `ref` alone"));
  if (asked.beside.size() > bundle_nodes_max) {
    return Error{Errc::limit_exceeded, "at most " + std::to_string(bundle_nodes_max) + " records may be in one bundle"};
  }
  auto vertices = ever_of(view, asked.beside, "/beside");
  if (!vertices) return vertices.error();
  if (asked.ref) {
    auto const lives = view.snapshot.find_all_ever(asked.ref->type, asked.ref->id);
    if (lives.empty()) return queries::resolve(view.snapshot, *asked.ref, "/ref").error();
    vertices->push_back(lives.back());
  }
  auto const last = asked.last_tx ? TxId{*asked.last_tx} : view.snapshot.tx();
  return make_period_bundle(service.engine, *service.transparency, view,
                            {.range = {TxId{*asked.first_tx}, last},
                             .about = asked.ref,
                             .vertices = std::move(*vertices),
                             .is_of_all = !asked.ref && asked.beside.empty(),
                             .is_withheld = is_withheld},
                            progress);
}

constexpr std::uint64_t overlap_default_s = 7 * std::uint64_t{86'400};

}  // namespace

Result<std::string> log_checkpoint(ServiceState& service, boost::json::object const& params, Progress const&) {
  auto const asked = parse_params<CheckpointParams>(params);
  if (!asked) return asked.error();
  auto const head = service.engine.snapshot().tx();
  auto checkpoint = service.transparency->checkpoint_at(head);
  if (!checkpoint) return checkpoint.error();
  if (asked->tx) {
    if (*asked->tx > number(head)) {
      return Error{Errc::not_found, "the log has transactions 1 to " + std::to_string(number(head))};
    }
    checkpoint = service.transparency->checkpoint_after(TxId{*asked->tx});
  }
  std::string text;
  schema::json::Writer out(text);
  out.begin_object()
      .member("checkpoint", checkpoint->note)
      .member("size", checkpoint->size)
      .member("key", checkpoint->key);
  if (checkpoint->earlier) {
    out.key("earlier")
        .begin_object()
        .member("key", checkpoint->earlier->key)
        .member("until", schema::format_rfc3339(checkpoint->earlier->until))
        .end_object();
  }
  auto const is_of_log = [&](schema::proof::TreeHead const& tree) {
    return is_tree_of(*service.transparency, tree, checkpoint->size);
  };
  if (auto const cosigned = service.cosignatures.all(is_of_log); !cosigned.empty()) {
    out.key("cosigned").begin_array();
    for (auto const& each : cosigned) {
      out.begin_object().member("checkpoint", each.note);
      write_witnesses(out, each);
      out.end_object();
    }
    out.end_array();
  }
  out.end_object();
  return text;
}

Result<std::string> log_cosign(ServiceState& service, boost::json::object const& params, Progress const&) {
  auto const asked = parse_params<CosignParams>(params);
  if (!asked) return asked.error();
  auto const newest = service.transparency->checkpoint_at(service.engine.snapshot().tx());
  if (!newest) return newest.error();
  std::vector<schema::proof::VerifierKey> keys;
  for (auto const& each : service.transparency->verifier_keys()) {
    if (auto key = schema::proof::VerifierKey::parse(each)) keys.push_back(std::move(*key));
  }
  auto const checkpoint = own_checkpoint(service, asked->note, keys, newest->size);
  if (!checkpoint) return checkpoint.error();
  auto const note = schema::proof::parse_note(asked->note);
  if (!note) return note.error();
  auto const is_of_log = [&](schema::proof::TreeHead const& tree) {
    return is_tree_of(*service.transparency, tree, newest->size);
  };
  auto const taken = service.cosignatures.take(*note, *checkpoint, keys, service.clock.now(), is_of_log);
  if (!taken) return taken.error();
  std::string text;
  schema::json::Writer out(text);
  out.begin_object();
  write_witnesses(out, *taken);
  out.end_object();
  return text;
}

Result<std::string> log_consistency(ServiceState& service, boost::json::object const& params, Progress const&) {
  auto const asked = parse_params<ConsistencyParams>(params);
  if (!asked) return asked.error();
  auto const checkpoint = service.transparency->checkpoint_at(service.engine.snapshot().tx());
  if (!checkpoint) return checkpoint.error();
  auto const& tree = service.transparency->tree();
  auto const size = checkpoint->size;
  auto const to = asked->to.value_or(size);
  if (to > size || asked->from > to) {
    return Error{Errc::not_found, "the log has " + std::to_string(size) + " events: from 1 to " + std::to_string(size) +
                                      " may be asked for, `from` at most `to`"};
  }
  auto const proof = schema::proof::consistency_proof(asked->from, to, nodes_of(tree));
  if (!proof) return proof.error();
  std::string text;
  schema::json::Writer out(text);
  out.begin_object().member("from", asked->from).member("to", to).key("proof").begin_array();
  for (auto const& hash : *proof) out.value(schema::proof::format_hash(hash));
  out.end_array().end_object();
  return text;
}

Result<std::string> log_proof(ServiceState& service, boost::json::object const& params, Progress const& progress) {
  auto const asked = parse_params<ProofParams>(params);
  if (!asked) return asked.error();
  if (asked->ref.has_value() == asked->leaf.has_value()) {
    return error_from(param_violation("one_of", "/ref", "", "give one of `ref` and `leaf`"));
  }
  if (asked->leaf && asked->tx) {
    return error_from(param_violation("one_of", "/tx", "", "goes with `ref`: a leaf is of one transaction"));
  }
  auto const view = service.view_for(progress.is_admin);
  auto const checkpoint = service.transparency->checkpoint_at(view.snapshot.tx());
  if (!checkpoint) return checkpoint.error();
  auto const found = asked->ref ? find_event(service, view, *asked->ref, asked->tx, *progress.interrupt)
                                : find_leaf(service, *asked->leaf, checkpoint->size);
  if (!found) return found.error();
  auto const proof = make_proof(service.transparency->tree(), found->index, *checkpoint);
  if (!proof) return proof.error();
  std::string text;
  schema::json::Writer out(text);
  out.begin_object()
      .member("index", found->index)
      .member("line", found->line)
      .member("proof", schema::proof::format_tlog_proof(*proof))
      .end_object();
  return text;
}

Result<std::string> log_bundle(ServiceState& service, boost::json::object const& params, Progress const& progress) {
  auto const asked = parse_params<BundleParams>(params);
  if (!asked) return asked.error();
  auto const view = service.view_for(progress.is_admin);
  if (auto const known = ever_of(view, asked->without, "/without"); !known) return known.error();
  auto const is_withheld = [&](VertexId vertex) {  // in each of its lives
    auto const is_it = [&, type = view.snapshot.type(vertex)](auto const& ref) {
      return ref.type == type && view.snapshot.id(vertex) == ref.id;
    };
    return std::ranges::any_of(asked->without, is_it) ||
           std::ranges::find(asked->without_types, view.snapshot.type(vertex)) != asked->without_types.end();
  };
  if (asked->first_tx) return period_bundle(service, view, *asked, is_withheld, progress);
  if (!asked->ref || asked->last_tx) {
    return error_from(param_violation("one_of", "/ref", "", "give `ref`, or `first_tx` and `last_tx`"));
  }
  auto const about = queries::resolve(view.snapshot, *asked->ref, "/ref");
  if (!about) return about.error();
  auto const beside = ever_of(view, asked->beside, "/beside");
  if (!beside) return beside.error();
  auto vertices = vertices_of(view, *about, asked->why.value_or(false), *progress.interrupt);
  if (!vertices) return vertices.error();
  add_missing(*vertices, *beside);
  return make_bundle(service.engine, *service.transparency, view,
                     {.about = *about, .vertices = std::move(*vertices), .is_withheld = is_withheld}, progress);
}

Result<std::string> log_rotate(ServiceState& service, boost::json::object const& params, Progress const& progress) {
  auto const asked = parse_params<RotateParams>(params);
  if (!asked) return asked.error();
  auto const write = [&](schema::ProvEntity record) {
    engine::WriteBatch batch;
    batch.records.push_back({.record = std::move(record)});
    batch.actor = progress.author.actor;
    batch.who = progress.author.who;
    return service.engine.write(std::move(batch));
  };
  auto const overlap = std::chrono::seconds(asked->overlap_s.value_or(overlap_default_s));
  auto const changed = service.transparency->change_key(overlap, write);
  if (!changed) return changed.error();
  std::string text;
  schema::json::Writer out(text);
  out.begin_object().member("tx", number(changed->tx)).member("ref", changed->ref).member("key", changed->key);
  out.member("until", schema::format_rfc3339(changed->until)).end_object();
  return text;
}

Result<std::string> person_certificate(ServiceState& service, boost::json::object const& params,
                                       Progress const& progress) {
  auto const asked = parse_params<CertificateParams>(params);
  if (!asked) return asked.error();
  auto const view = service.view_for(progress.is_admin);
  auto const about = queries::resolve(view.snapshot, asked->ref, "/ref");
  if (!about) return about.error();
  return make_bundle(service.engine, *service.transparency, view,
                     {.about = *about, .vertices = {*about}, .is_withheld = {}, .is_certificate = true}, progress);
}

}  // namespace whence::net
