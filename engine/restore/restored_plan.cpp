// From events to rows. Events are in the order in which live updates report them, rows in the order in which they were
// written. The orders differ for records derived from responses: their rows come after all others
// (engine/writer/delta.cpp).

#include "engine/restore/restored_plan.hpp"

#include "engine/restore/restored_edges.hpp"
#include "engine/validation/prov_cycles.hpp"
#include "graph/walks/walk.hpp"
#include "schema/records/attachment.hpp"
#include "schema/records/links.hpp"
#include "schema/records/long_texts.hpp"
#include "schema/records/prov/relations.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace whence::engine {
namespace {

using graph::EventOp;
using schema::EdgeType;
using schema::NodeRef;
using schema::RecordType;
using schema::VertexId;
using store::RowEdge;

bool has_record(EventOp op) {
  return op == EventOp::put || op == EventOp::version;
}

/// Makes the plan of one transaction.
class RestorePlanner {
 public:
  RestorePlanner(RestoredTransaction const& transaction, ValidationContext const& context, RemovedBefore const& removed)
      : transaction_(transaction),
        known_(context.known),
        removed_(removed),
        contents_(context.store, context.memory, context.known) {}

  Result<RestoredPlan> run() {
    for (auto const step : {&RestorePlanner::hide, &RestorePlanner::number_vertices, &RestorePlanner::add_records,
                            &RestorePlanner::add_statuses}) {
      if (auto const done = (this->*step)(); !done) return done.error();
    }
    return std::move(out_);
  }

 private:
  /// The vertex known under `ref` before this transaction and not deleted by it.
  [[nodiscard]] std::optional<VertexId> find_before(NodeRef const& ref) const {
    auto const found = known_.find(ref.type, ref.id);
    if (!found || std::ranges::find(out_.plan.hidden, *found) != out_.plan.hidden.end()) return std::nullopt;
    return found;
  }

  [[nodiscard]] std::optional<VertexId> find(NodeRef const& ref) const {
    if (auto const made = made_.find(schema::format_ref(ref)); made != made_.end()) return made->second;
    return find_before(ref);
  }

  Result<void> hide() {
    for (auto const& event : transaction_.events) {
      if (event.op == EventOp::expire) {
        if (auto removed = remove_content(event); !removed) return removed;
      }
      if (event.op != EventOp::remove) continue;
      auto const vertex = find_before(event.ref);
      if (!vertex) return history_error(event.line, "deletes a node that does not exist");
      out_.plan.hidden.push_back(*vertex);
    }
    return {};
  }

  [[nodiscard]] std::optional<graph::GoneWhy> gone_before(VertexId vertex) const {
    auto const found = removed_.find(vertex);
    if (found == removed_.end()) return known_.gone(vertex);
    return known_.contents_count(vertex) > found->second.count ? std::nullopt : std::optional(found->second.why);
  }

  /// The node that has the ref, or of the deleted ones that had it the one that the history names.
  Result<void> remove_content(RestoredEvent const& event) {
    auto const why = event.is_purged ? graph::GoneWhy::purged : graph::GoneWhy::expired;
    auto& gone = out_.plan.gone;
    auto const named = known_.find_all_ever(event.ref.type, event.ref.id);
    auto const found = std::ranges::find_if(named, [&](VertexId vertex) {
      return event.put ? known_.created(vertex) == *event.put : !known_.is_deleted(vertex);
    });
    auto const before = found == named.end() ? std::nullopt : gone_before(*found);
    bool const is_there = !before || (*before != why && why == graph::GoneWhy::purged);
    if (found == named.end() || !is_there || std::ranges::find(gone, *found) != gone.end())
      return history_error(event.line, "removes a content that is not there");
    if (!gone.empty() && out_.plan.gone_why != why) {
      return history_error(event.line, "is purged in a transaction in which others expire, or the other way round");
    }
    out_.plan.gone_why = why;
    gone.push_back(*found);
    return {};
  }

  /// Whether the record of an event was derived from a response: only derived records, in byte order of ref, come
  /// between it and its attachment.
  [[nodiscard]] bool is_derived(std::size_t position) const {
    auto const& event = transaction_.events[position];
    if (!schema::info(event.ref.type).is_extracted) return false;
    auto const is_source = [&](RestoredEdge const& edge, RestoredEvent const& other) {
      return edge.type == EdgeType::extracted_from && edge.from == event.ref && edge.to == other.ref;
    };
    for (auto before = position; before > 0; --before) {
      auto const& other = transaction_.events[before - 1];
      if (std::ranges::any_of(event.edges, [&](RestoredEdge const& edge) { return is_source(edge, other); }))
        return true;
      bool const is_neighbour = !has_record(other.op) || schema::info(other.ref.type).is_extracted;
      bool const is_in_order = !has_record(other.op) || schema::format_ref(other.ref) < schema::format_ref(event.ref);
      if (!is_neighbour || !is_in_order) return false;
    }
    return false;
  }

  Result<void> number_vertices() {
    std::vector<std::size_t> derived;
    auto const number = [&](std::size_t position) -> Result<void> {
      auto const& event = transaction_.events[position];
      VertexId const vertex{known_.vertex_count() + static_cast<std::uint32_t>(rows_.size())};
      rows_.push_back(position);
      bool const is_first = made_.emplace(schema::format_ref(event.ref), vertex).second;
      return is_first ? Result<void>{} : history_error(event.line, "is put twice in one transaction");
    };
    for (std::size_t i = 0; i < transaction_.events.size(); ++i) {
      auto const& event = transaction_.events[i];
      if (!has_record(event.op)) continue;
      if (!event.record && !event.is_gone) return history_error(event.line, "has no record");
      if (find_before(event.ref)) {
        if (event.op == EventOp::put) return history_error(event.line, "puts a node that exists already");
        continue;
      }
      if (is_derived(i)) {
        derived.push_back(i);
      } else if (auto numbered = number(i); !numbered) {
        return numbered;
      }
    }
    for (auto const i : derived) {
      if (auto numbered = number(i); !numbered) return numbered;
    }
    return {};
  }

  Result<void> add_records() {
    for (auto const position : rows_) {
      if (auto added = add_row(transaction_.events[position]); !added) return added;
    }
    cut_prov_cycles(out_.plan.rows, known_.vertex_count());
    std::uint32_t rows_before = 0;
    for (std::size_t i = 0; i < transaction_.events.size(); ++i) {
      auto const& event = transaction_.events[i];
      if (!has_record(event.op)) continue;
      if (made_.contains(schema::format_ref(event.ref))) {
        if (!is_derived(i)) ++rows_before;
      } else if (auto added = add_revision(event, rows_before); !added) {
        return added;
      }
    }
    cut_revised();
    return {};
  }

  /// Events name a relation that lost its influence as any other. The revision stays the one that it is.
  void cut_revised() {
    std::vector<VertexId> owners;
    std::vector<std::vector<RowEdge>*> edges;
    for (auto& revision : out_.plan.revisions) {
      if (!schema::is_prov(revision.row.type)) continue;
      owners.push_back(revision.row.vertex);
      edges.push_back(&revision.row.edges);
    }
    cut_closing(known_, out_.plan.rows, owners, edges, [](std::size_t, std::size_t) {});
  }

  [[nodiscard]] static bool is_extracted(RestoredEvent const& event) {
    return std::ranges::find(event.edges, EdgeType::extracted_from, &RestoredEdge::type) != event.edges.end();
  }

  /// The record under its ref, complete.
  Result<schema::Record> record_of(RestoredEvent const& event) {
    if (!event.record) {
      auto blank = *schema::blank_record(event.ref.type);
      schema::complete(blank, event.ref.id, {});
      // Of a text that was made of parts, this part is lost, and those before it are not.
      if (auto* const summary = std::get_if<schema::Summary>(&blank); summary != nullptr && is_extracted(event)) {
        summary->increment.emplace();
      }
      return blank;
    }
    schema::Record record = *event.record;
    if (schema::type_of(record) != event.ref.type) return history_error(event.line, "holds a record of another type");
    if (auto* const attachment = std::get_if<schema::XmlMessageAttachment>(&record)) {
      if (auto const checked = check_attachment(event, *attachment); !checked) return checked.error();
    }
    if (schema::node_id_of(record) != event.ref.id)
      return history_error(event.line, "holds the record of another node");
    std::vector<schema::LongText> texts;
    schema::take_long_texts(record, texts);
    for (auto& each : texts) out_.plan.blobs.push_back({each.digest, std::move(each.text)});
    return record;
  }

  /// Completes the attachment and compares its digest with its id. Its text may be in the event, not in the record.
  Result<void> check_attachment(RestoredEvent const& event, schema::XmlMessageAttachment& attachment) {
    attachment.hash = event.ref.id;
    bool const is_whole = attachment.size && attachment.version && attachment.created_at &&
                          (attachment.xml_content || attachment.xml_blob);
    if (!is_whole) return history_error(event.line, "lacks what every stored attachment has");
    for (auto const& edge : event.edges) {  // events show it as an edge only
      if (edge.type == EdgeType::rendered_as) attachment.response_id = edge.from.id;
      if (schema::named_type(edge.type) == EdgeType::prompted) attachment.response_id = edge.to.id;
    }
    if (schema::to_hex(schema::json::hash_of(attachment)) != event.ref.id) {
      return history_error(event.line, "is not the attachment that its hash names");
    }
    auto const digest = attachment.xml_blob ? schema::blob_digest(*attachment.xml_blob) : std::nullopt;
    if (!digest) return {};
    if (!event.text.empty()) {
      if (schema::sha256(event.text) != *digest) return history_error(event.line, "holds another text than it names");
      out_.plan.blobs.push_back({*digest, event.text});
      return {};
    }
    auto const stored = contents_.blob(*digest);
    if (!stored) return stored.error();
    return *stored ? Result<void>{} : history_error(event.line, "names a text that is not in the history");
  }

  Result<void> add_row(RestoredEvent event) {
    auto record = record_of(event);
    if (!record) return record.error();
    auto const links = schema::links_of(*record);
    Result<std::vector<RowEdge>> edges = std::vector<RowEdge>{};
    if (!event.record) {
      edges = edges_of(event);
    } else if (schema::is_prov(event.ref.type)) {
      edges = relations_of(event, links);
    } else {
      if (auto checked = check_links(event, links); !checked) return checked;
      order_edges(event, links);
      edges = edges_of(event);
    }
    if (!edges) return edges.error();
    out_.plan.rows.push_back({.vertex = *find(event.ref),
                              .type = event.ref.type,
                              .id = event.ref.id,
                              .time = event.record ? schema::time_of(*record) : event.time,
                              .edges = std::move(*edges)});
    out_.plan.records.push_back(std::move(*record));
    return {};
  }

  Result<void> add_revision(RestoredEvent const& event, std::uint32_t rows_before) {
    auto record = record_of(event);
    if (!record) return record.error();
    auto edges = edges_of(event);
    if (!edges) return edges.error();
    auto const vertex = *find(event.ref);
    if (schema::is_prov(event.ref.type)) add_numbers(vertex, schema::links_of(*record), *edges);
    // Of a template, only becoming active has a record in the events.
    bool const is_template = event.ref.type == RecordType::system_prompt_template;
    auto kind = is_template ? schema::RevisionKind::update : schema::RevisionKind::whole;
    auto content = *record;
    bool const was_gone = known_.contains(vertex) && gone_before(vertex);
    if (was_gone && is_template) kind = schema::RevisionKind::addition;  // it comes back
    if (was_gone) {
      // What has a record comes back; what has none gets an edge.
      if (!event.record && !is_template) kind = schema::RevisionKind::update;
    } else if (auto* const chunk = std::get_if<schema::RetrievedChunk>(&content)) {
      // Its embedding is stored once: a retrieval adds an edge only.
      auto const before = contents_.fetch_one(vertex);
      if (!before) return before.error();
      if (*before == nullptr) return history_error(event.line, "changes a chunk that is gone");
      auto const& known = std::get<schema::RetrievedChunk>(**before);
      if (known.embedding && chunk->embedding != known.embedding) {
        return history_error(event.line, "holds another embedding than its chunk has");
      }
      if (known.embedding) {
        chunk->embedding.reset();
        chunk->embedding_model.reset();
      }
      // What is gone is not brought back by a retrieval.
      kind = event.record ? schema::RevisionKind::addition : schema::RevisionKind::update;
    } else if (std::ranges::find(out_.plan.gone, vertex) != out_.plan.gone.end()) {
      // It says something else now, in place of what went.
    } else if (event.ref.type == RecordType::response || event.ref.type == RecordType::answer) {
      auto const before = contents_.fetch_one(vertex);
      if (!before) return before.error();
      if (!event.record || (*before != nullptr && **before == *record)) {  // adds edges only
        content = *schema::blank_record(event.ref.type);
        kind = schema::RevisionKind::update;
      }
    }
    if (rows_before == rows_.size()) rows_before = store::all_rows;
    out_.plan.revise({.row = {.vertex = vertex,
                              .type = event.ref.type,
                              .revision = 0,
                              .kind = kind,
                              .edges = std::move(*edges),
                              .rows_before = rows_before},
                      .content = std::move(content),
                      .whole = std::move(*record)},
                     known_);
    return {};
  }

  /// Events show what a relation states; its edge says which relation of its type and end it is: one that has no edge.
  void add_numbers(VertexId owner, std::vector<schema::Link> const& links, std::vector<RowEdge>& edges) const {
    std::set<std::tuple<EdgeType, VertexId, double>> taken;
    if (known_.contains(owner)) {
      for (auto const& neighbours : {known_.causes_ever(owner), known_.relations_from_ever(owner)}) {
        for (std::size_t i = 0; i < neighbours.size(); ++i) {
          auto const edge = neighbours.edges[i];
          taken.emplace(schema::named_type(known_.type(edge)), neighbours.vertices[i], known_.value(edge).value_or(0));
        }
      }
    }
    for (auto& edge : edges) {
      auto const link = std::ranges::find_if(links, [&](schema::Link const& each) {
        return each.type == edge.type && find({each.other_type, std::string(each.other_id())}) == edge.other &&
               !taken.contains({edge.type, edge.other, each.value.value_or(0)});
      });
      if (link == links.end()) continue;
      edge.value = link->value;
      taken.emplace(edge.type, edge.other, link->value.value_or(0));
    }
  }

  /// The edges of a PROV record are those of its relations whose ends exist, and those through acts. Which of them have
  /// no influence is decided when all rows are known.
  [[nodiscard]] Result<std::vector<RowEdge>> relations_of(RestoredEvent const& event,
                                                          std::vector<schema::Link> const& links) const {
    std::vector<RowEdge> edges;
    auto const own = find(event.ref);
    for (auto const& link : links) {
      auto const other = find({link.other_type, std::string(link.other_id())});
      if (!other || other == own) continue;
      edges.push_back({.type = link.type, .owner_is_from = true, .other = *other, .value = link.value});
    }
    RestoredEvent added_ones = event;
    std::erase_if(added_ones.edges, [](RestoredEdge const& edge) { return !schema::is_added_by_engine(edge.type); });
    auto added = edges_of(added_ones);
    if (!added) return added.error();
    edges.insert(edges.end(), added->begin(), added->end());
    return edges;
  }

  Result<std::vector<RowEdge>> edges_of(RestoredEvent const& event) const {
    std::vector<RowEdge> edges;
    for (auto const& edge : event.edges) {
      bool const owner_is_from = edge.from == event.ref;
      if (!owner_is_from && edge.to != event.ref) return history_error(event.line, "brings an edge of other nodes");
      auto const other = find(owner_is_from ? edge.to : edge.from);
      if (!other || edge.from == edge.to)
        return history_error(event.line, "brings an edge to a node that does not exist");
      if (auto const allowed = check_edge(event, edge); !allowed) return allowed.error();
      edges.push_back(
          {.type = edge.type, .owner_is_from = owner_is_from, .other = *other, .value = edge.value, .rank = edge.rank});
    }
    return edges;
  }

  Result<void> add_statuses() {
    for (auto const& event : transaction_.events) {
      if (event.op != EventOp::status) continue;
      auto const vertex = find(event.ref);
      if (!vertex) return history_error(event.line, "is about a node that does not exist");
      if (event.ref.type == RecordType::system_prompt_template) {
        if (auto set = set_active(event, *vertex); !set) return set;
      } else if (event.status == schema::name_of(graph::UnitStatus::deprecated)) {
        if (std::ranges::find(out_.deprecated, *vertex) != out_.deprecated.end()) {
          return history_error(event.line, "is repeated in its transaction");
        }
        out_.deprecated.push_back(*vertex);
      }  // that a unit was updated, or is current again, follows from what did it
    }
    return {};
  }

  /// The time of change is that of the transaction.
  Result<void> set_active(RestoredEvent const& event, VertexId vertex) {
    schema::Record whole;
    if (auto const made = made_.find(schema::format_ref(event.ref)); made != made_.end()) {
      whole = out_.plan.records[schema::number(vertex) - known_.vertex_count()];
    } else {
      auto const before = contents_.fetch_one(vertex);
      if (!before) return before.error();
      if (*before == nullptr) return history_error(event.line, "changes a template that is gone");
      whole = **before;
    }
    auto& old = std::get<schema::SystemPromptTemplate>(whole);
    std::uint32_t rows_before = 0;
    for (auto const& other : transaction_.events) {
      if (&other == &event) break;
      if (!has_record(other.op) || !made_.contains(schema::format_ref(other.ref))) continue;
      ++rows_before;
    }
    bool const is_active = event.status == schema::name_of(graph::UnitStatus::active);
    old.active = is_active;
    old.updated_at = schema::epoch_ms_of(transaction_.at);
    if (rows_before == rows_.size()) rows_before = store::all_rows;
    out_.plan.revise({.row = {.vertex = vertex,
                              .type = RecordType::system_prompt_template,
                              .revision = 0,
                              .kind = is_active ? schema::RevisionKind::update : schema::RevisionKind::whole,
                              .rows_before = rows_before},
                      .content = whole,
                      .whole = whole},
                     known_);
    return {};
  }

  RestoredTransaction const& transaction_;
  graph::Snapshot const& known_;
  RemovedBefore const& removed_;
  Contents contents_;
  std::unordered_map<std::string, VertexId> made_ = {};  // by ref
  std::vector<std::size_t> rows_ = {};                   // positions of the events that are rows, in row order
  RestoredPlan out_ = {};
};

}  // namespace

/// Only a new cause of an older node may close a cycle (engine/README.md, invariant 4).
Result<void> check_cycles(RestoredTransaction const& transaction, graph::Delta const& delta,
                          graph::Snapshot const& after) {
  for (std::size_t i = 0; i < delta.events.size(); ++i) {
    for (auto const& edge : delta.edges_of(delta.events[i])) {
      auto const influence = schema::influence_of(after.type(edge.edge), after.type(edge.from));
      if (influence == schema::Influence::none) continue;
      bool const is_along = influence == schema::Influence::along;
      auto const cause = is_along ? edge.from : edge.to;
      auto const effect = is_along ? edge.to : edge.from;
      bool const is_old = schema::number(effect) < delta.vertices_before;
      if ((effect > cause && !is_old) || !graph::influences(after, effect, cause)) continue;
      return history_error(transaction.events[std::min(i, transaction.events.size() - 1)].line,
                           "closes a cycle of influence");
    }
  }
  return {};
}

Result<RestoredPlan> plan_restored(RestoredTransaction const& transaction, ValidationContext const& context,
                                   RemovedBefore const& removed) {
  return RestorePlanner(transaction, context, removed).run();
}

}  // namespace whence::engine
