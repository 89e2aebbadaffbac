// Few records refer to what is deleted; the others are found by their numbers of neighbours alone.
#include "queries/export/deleted_refs.hpp"

#include "graph/snapshot/acts.hpp"
#include "graph/snapshot/version_line.hpp"
#include "schema/json/json.hpp"
#include "schema/records/links.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::exports {
namespace {

using graph::Neighbours;
using graph::Snapshot;
using schema::EdgeType;
using schema::Link;
using schema::RecordType;
using schema::VertexId;

/// The neighbours of a node that are deleted, by what refers to them; `with_gone`: and those whose content is gone.
class Deleted {
 public:
  Deleted(Snapshot const& snapshot, VertexId vertex, bool with_gone) : snapshot_(snapshot), with_gone_(with_gone) {
    take(vertex, snapshot.causes(vertex), snapshot.causes_ever(vertex));
    take(vertex, snapshot.effects(vertex), snapshot.effects_ever(vertex));
    take(vertex, snapshot.relations_from(vertex), snapshot.relations_from_ever(vertex));
    take(vertex, snapshot.relations_to(vertex), snapshot.relations_to_ever(vertex));
  }

  [[nodiscard]] bool is_empty() const noexcept { return gone_.empty(); }

  /// Whether a reference leads to deleted nodes alone. Relations of PROV have numbers among those of a type and end.
  [[nodiscard]] bool has(EdgeType type, RecordType other, std::string_view id, double number = 0) const {
    Key const key{schema::named_type(type), other, id, number};
    return gone_.contains(key) && !there_.contains(key);
  }

  /// How many deleted nodes have edges of a type with the node, and ids that others have now which have none.
  [[nodiscard]] std::uint64_t reused(EdgeType type) const {
    return static_cast<std::uint64_t>(std::ranges::count_if(gone_, [&](Key const& key) {
      return std::get<0>(key) == type && !there_.contains(key) && is_reused(std::get<1>(key), std::get<2>(key));
    }));
  }

  /// Whether the id of the deleted node is that of another one now.
  [[nodiscard]] bool is_reused(RecordType type, std::string_view id) const {
    auto const found = snapshot_.find(type, id);
    return found && !is_gone(*found);
  }

 private:
  using Key = std::tuple<EdgeType, RecordType, std::string_view, double>;

  [[nodiscard]] bool is_gone(VertexId other) const { return with_gone_ && snapshot_.gone(other).has_value(); }

  void take(VertexId vertex, Neighbours const& now, Neighbours const& ever) {
    bool const has_gone = with_gone_ && std::ranges::any_of(now.vertices, [&](VertexId each) { return is_gone(each); });
    if (now.size() == ever.size() && !has_gone) return;
    bool const is_prov = schema::is_prov(snapshot_.type(vertex));
    for (auto const* const list : {&now, &ever}) {
      for (std::size_t i = 0; i < list->size(); ++i) {
        auto const other = list->vertices[i];
        if (list == &ever && !snapshot_.is_deleted(other)) continue;
        auto const edge = list->edges[i];
        double const number = is_prov ? snapshot_.value(edge).value_or(0) : 0;
        auto& keys = list == &now && !is_gone(other) ? there_ : gone_;
        keys.emplace(schema::named_type(snapshot_.type(edge)), snapshot_.type(other), snapshot_.id(other), number);
      }
    }
  }

  Snapshot const& snapshot_;
  bool const with_gone_;
  std::set<Key> gone_;
  std::set<Key> there_;
};

/// What the links of a record to deleted nodes say, member by member.
class Shortening {
 public:
  Shortening(Deleted const& deleted, schema::Record const& record) {
    for (auto& link : schema::links_of(record)) {
      if (!deleted.has(link.type, link.other_type, link.other_id())) continue;
      found_[link.place.member].emplace_back(link.place.item);
      refs_[link.place.member] = schema::format_ref(link.other_type, link.other_id());
      is_reused_[link.place.member] = deleted.is_reused(link.other_type, link.other_id());
    }
  }

  template <class T>
  void drop(std::string_view member, std::optional<T>& value) {
    if (!found_.contains(member)) return;
    value.reset();
    ++out.left_out;
  }

  /// One that may name what does not exist is harmless unless the id has another node.
  template <class T>
  void drop_reused(std::string_view member, std::optional<T>& value) {
    if (found_.contains(member) && is_reused_.at(member)) drop(member, value);
  }

  template <class T>
  void erase(std::string_view member, std::vector<T>& list) {
    auto const found = found_.find(member);
    if (found == found_.end()) return;
    auto& items = found->second;
    std::ranges::sort(items);
    for (auto item = items.rbegin(); item != items.rend(); ++item) {
      if (*item < list.size()) list.erase(list.begin() + static_cast<std::ptrdiff_t>(*item));
    }
    out.left_out += items.size();
  }

  template <class T>
  void erase(std::string_view member, std::optional<std::vector<T>>& list) {
    if (!list) return;
    erase(member, *list);
    if (list->empty()) list.reset();
  }

  /// A list beside that of a member, item by item; where it is one for each, it loses the same items. Before the
  /// member.
  template <class T, class Member>
  void erase_beside(std::string_view member, Member const& of, std::optional<std::vector<T>>& list) {
    if (!list || list->size() != of.size()) return;
    auto const before = out.left_out;
    erase(member, list);
    out.left_out = before;
  }

  void need(std::string_view member) {
    if (found_.contains(member) && !is_reused_.at(member)) out.needed = refs_.at(member);
  }

  [[nodiscard]] bool has(std::string_view member) const { return found_.contains(member); }

  [[nodiscard]] std::vector<std::uint32_t> items(std::string_view member) const {
    auto const found = found_.find(member);
    return found == found_.end() ? std::vector<std::uint32_t>{} : found->second;
  }

  DeletedRefs out = {};

 private:
  std::map<std::string_view, std::vector<std::uint32_t>> found_;
  std::map<std::string_view, std::string> refs_;
  std::map<std::string_view, bool> is_reused_;
};

void shorten(schema::ContextUnit& unit, Shortening& all) {
  all.need("previous_version_id");
  all.drop_reused("previous_version_id", unit.previous_version_id);
  all.drop("updated_by_response_id", unit.updated_by_response_id);
  all.erase("derived_from", unit.derived_from);
}

void shorten(schema::Response& response, Shortening& all) {
  all.erase_beside("context_units", response.context_units, response.given_weights);
  all.erase("context_units", response.context_units);
  all.drop("query_attachment", response.query_attachment);
  all.drop("prompt_template", response.prompt_template);
  if (response.prompt_refs) all.erase_beside("prompt_refs", *response.prompt_refs, response.prompt_basis);
  all.erase("prompt_refs", response.prompt_refs);
  all.drop("replay_of", response.replay_of);
  all.drop("person", response.person);
  all.drop("conversation", response.conversation);
}

void shorten(schema::FeedbackRecord& feedback, Shortening& all) {
  all.drop("user_id", feedback.user_id);
}

void shorten(schema::Decision& decision, Shortening& all) {
  all.drop("subject", decision.subject);
}

void shorten(schema::Message& message, Shortening& all) {
  all.need("topicId");
  all.drop("person", message.person);
}

void shorten(schema::Keyword& keyword, Shortening& all) {
  all.erase("subjects", keyword.subjects);
  all.drop_reused("sourceXmlHash", keyword.source_xml_hash);
}

void shorten(schema::Subject& subject, Shortening& all) {
  all.drop_reused("sourceXmlHash", subject.source_xml_hash);
}

void shorten(schema::Summary& summary, Shortening& all) {
  all.drop_reused("sourceXmlHash", summary.source_xml_hash);
  all.drop_reused("previousVersion", summary.previous_version);
}

void shorten(schema::PromptContext& prompt, Shortening& all) {
  auto const gone = all.items("retrieved_chunks");
  if (!gone.empty()) {
    auto const behind = prompt.retrieved_chunks.size() - *std::ranges::min_element(gone);
    if (behind > gone.size()) all.out.changed.ranks = behind - gone.size();
  }
  all.erase("retrieved_chunks", prompt.retrieved_chunks);
}

void shorten(schema::Answer& answer, Shortening& all) {
  std::set<std::string> gone;
  for (auto const item : all.items("citations")) gone.insert(answer.citations.at(item).chunk_id.value_or(""));
  for (auto& citation : answer.citations) {
    if (!citation.chunk_id || !gone.contains(*citation.chunk_id)) continue;
    citation.chunk_id.reset();
    ++all.out.left_out;
  }
}

/// Relations without what they say of deleted nodes; those that then lead nowhere go.
class Relations {
 public:
  explicit Relations(Deleted const& deleted) : deleted_(deleted) {}

  void shorten(schema::ProvNode& node) {
    if (!node.relations) return;
    std::erase_if(*node.relations, [&](schema::ProvRelation& each) { return is_emptied(each); });
    if (node.relations->empty()) node.relations.reset();
  }

  std::uint64_t left_out = 0;

 private:
  bool is_gone(EdgeType type, std::string const& text) {
    auto const number = counts_[{type, text}]++;
    auto const ref = schema::parse_ref(text);
    return ref && deleted_.has(type, ref->type, ref->id, static_cast<double>(number));
  }

  bool is_emptied(schema::ProvRelation& relation) {
    auto const* const row = schema::find_prov_relation(relation.relation);
    if (row == nullptr) return false;
    auto const before = left_out;
    bool const is_other_gone = relation.other && is_gone(row->edge, *relation.other);
    auto const gone_others = gone_items(row->edge, relation.others);
    auto const gone_further = gone_items(row->edge, relation.further);
    left_out += (is_other_gone ? 1U : 0U) + gone_others.size() + gone_further.size();
    if (left_out == before) return false;
    auto const parsed = schema::json::parse_with_integers(relation.attributes.json);
    auto members = parsed && parsed->value.is_object() ? parsed->value.get_object() : boost::json::object{};
    if (is_other_gone) {
      relation.other.reset();
      members.erase(row->object);
    }
    if (auto* const names = members.if_contains(row->object); names != nullptr && names->is_array()) {
      erase(gone_others, names->get_array());
    }
    erase(gone_others, relation.others);
    erase(gone_further, relation.further);
    if (!gone_further.empty() && !relation.further) members.erase(row->further);
    if (!gone_further.empty()) {  // of a derivation they name the activity
      members.erase("prov:usage");
      members.erase("prov:generation");
    }
    relation.attributes.json = schema::json::to_sorted_text(boost::json::value(std::move(members)));
    return !relation.other && !relation.others && !relation.further;
  }

  std::vector<std::size_t> gone_items(EdgeType type, std::optional<std::vector<std::string>> const& refs) {
    std::vector<std::size_t> gone;
    for (std::size_t i = 0; refs && i < refs->size(); ++i) {
      if (is_gone(type, (*refs)[i])) gone.push_back(i);
    }
    return gone;
  }

  template <class List>
  static void erase(std::vector<std::size_t> const& items, List& list) {
    for (auto item = items.rbegin(); item != items.rend(); ++item) {
      if (*item < list.size()) list.erase(list.begin() + static_cast<std::ptrdiff_t>(*item));
    }
  }
  static void erase(std::vector<std::size_t> const& items, std::optional<std::vector<std::string>>& list) {
    if (!list) return;
    erase(items, *list);
    if (list->empty()) list.reset();
  }

  Deleted const& deleted_;
  std::map<std::pair<EdgeType, std::string>, std::uint32_t> counts_;
};

/// Edges THROUGH_ACT to a node that an import does not make again, or with another weight: no half that is there has
/// the edge which they repeat.
class ActEdges {
 public:
  ActEdges(Snapshot const& snapshot, VertexId effect, bool with_gone)
      : snapshot_(snapshot), effect_(effect), with_gone_(with_gone) {}

  [[nodiscard]] std::uint64_t alone() {
    std::uint64_t count = 0;
    auto const causes = snapshot_.causes(effect_);
    for (std::size_t i = 0; i < causes.size(); ++i) {
      auto const cause = causes.vertices[i];
      if (!is_repeated(causes.edges[i]) || (with_gone_ && snapshot_.gone(cause))) continue;
      if (!half_) take_given();
      auto const other = half_of(cause);
      auto const has = [&](std::set<Given> const& given, VertexId of) {
        return given.contains(given_by(of, causes.edges[i]));
      };
      if (!has(of_half_, cause) && !(other && (has(given_, *other) || has(of_half_, *other)))) ++count;
    }
    return count;
  }

 private:
  using Given = std::tuple<VertexId, double, schema::Basis>;

  [[nodiscard]] bool is_repeated(graph::EdgeId edge) const {
    return schema::named_type(snapshot_.type(edge)) == EdgeType::through_act;
  }

  [[nodiscard]] Given given_by(VertexId cause, graph::EdgeId edge) const {
    return {cause, snapshot_.path_weight(edge), schema::basis_of(snapshot_.type(edge))};
  }

  [[nodiscard]] std::optional<VertexId> half_of(VertexId vertex) const {
    auto const half = graph::other_half(snapshot_, vertex);
    return half && with_gone_ && snapshot_.gone(*half) ? std::nullopt : half;
  }

  /// What is said to have caused the node, and the other half of its act.
  void take_given() {
    half_ = half_of(effect_);
    take(effect_, given_);
    if (*half_) take(**half_, of_half_);
  }

  void take(VertexId vertex, std::set<Given>& into) const {
    auto const causes = snapshot_.causes(vertex);
    for (std::size_t i = 0; i < causes.size(); ++i) {
      if (!is_repeated(causes.edges[i])) into.insert(given_by(causes.vertices[i], causes.edges[i]));
    }
  }

  Snapshot const& snapshot_;
  VertexId const effect_;
  bool const with_gone_;
  std::optional<std::optional<VertexId>> half_;  // nothing while it was not looked for
  std::set<Given> given_;
  std::set<Given> of_half_;
};

/// References that stay in a record and lead to another node than they did: an import makes edges of them, and of an
/// attachment's text.
std::uint64_t links_to_others(Deleted const& deleted, schema::Record const& record) {
  if (schema::is_prov(schema::type_of(record))) return 0;
  auto const links = schema::links_of(record);
  auto const count = std::ranges::count_if(links, [&](Link const& link) {
    return deleted.has(link.type, link.other_type, link.other_id()) &&
           deleted.is_reused(link.other_type, link.other_id());
  });
  bool const is_read = std::holds_alternative<schema::XmlMessageAttachment>(record);
  return static_cast<std::uint64_t>(count) + (is_read ? deleted.reused(EdgeType::extracted_from) : 0);
}

bool has_node(Snapshot const& snapshot, RecordType type, std::string_view id, bool with_gone) {
  auto const found = snapshot.find(type, id);
  return found && !(with_gone && snapshot.gone(*found));
}

/// Whether an import has the text of a summary alone, and not what it added: its message, or the version before, is not
/// there.
bool loses_increment(Snapshot const& snapshot, schema::Summary const& summary, bool with_gone) {
  if (!summary.increment) return false;
  auto const has = [&](RecordType type, std::optional<std::string> const& id) {
    return id && has_node(snapshot, type, *id, with_gone);
  };
  bool const has_source = has(RecordType::xml_message_attachment, summary.source_xml_hash);
  return !has_source || (summary.version > 1 && !has(RecordType::summary, summary.previous_version));
}

/// What a record of a request cannot be without.
template <class T>
std::string needed_query(Snapshot const& snapshot, T const& record, bool with_gone) {
  auto const& id = record.request_id;
  bool const is_there = has_node(snapshot, RecordType::query, id, with_gone);
  return is_there ? std::string{} : schema::format_ref(RecordType::query, id);
}

bool rates_gone(Snapshot const& snapshot, schema::Record const& rating) {
  return std::ranges::any_of(schema::links_of(rating), [&](schema::Link const& link) {
    auto const rated =
        link.type == EdgeType::evaluates ? snapshot.find(link.other_type, link.other_id()) : std::nullopt;
    return rated && snapshot.gone(*rated).has_value();
  });
}

/// What is known of the line of versions before a unit, where the one that it names is not there.
void take_line(Snapshot const& snapshot, VertexId vertex, bool with_gone, DeletedRefs& out) {
  auto const is_there = [&](VertexId each) {
    return !snapshot.is_deleted(each) && !(with_gone && snapshot.gone(each).has_value());
  };
  bool is_cut = out.needed.empty();  // another node has the id
  std::vector<std::string> line;
  auto step = graph::named_before(snapshot, vertex);
  while (step && !is_there(step->vertex)) {
    step = graph::named_before(snapshot, step->vertex);
    if (!step) return;
    auto const type = snapshot.type(step->vertex);
    auto const id = snapshot.id(step->vertex);
    is_cut = is_cut || (snapshot.is_deleted(step->vertex) && snapshot.find(type, id).has_value());
    line.push_back(schema::format_ref(type, id));
  }
  if (is_cut) {
    ++out.changed.lines;
  } else {
    out.line = std::move(line);
  }
}

}  // namespace

DeletedRefs leave_out_deleted(Snapshot const& snapshot, VertexId vertex, schema::Record& record, bool with_gone) {
  Deleted const deleted(snapshot, vertex, with_gone);
  DeletedRefs out;
  if (!deleted.is_empty()) {
    Shortening all(deleted, record);
    std::visit(
        [&]<class T>(T& each) {
          if constexpr (std::is_base_of_v<schema::ProvNode, T>) {
            Relations relations(deleted);
            relations.shorten(each);
            all.out.left_out = relations.left_out;
          } else if constexpr (requires { shorten(each, all); }) {
            shorten(each, all);
          }
        },
        record);
    out = std::move(all.out);
    out.changed.to_others = links_to_others(deleted, record);
    bool const names_version = schema::type_of(record) == RecordType::context_unit && all.has("previous_version_id");
    if (names_version) take_line(snapshot, vertex, with_gone, out);
  }
  if (!schema::is_prov(schema::type_of(record))) out.changed.act_edges = ActEdges(snapshot, vertex, with_gone).alone();
  auto const* const summary = std::get_if<schema::Summary>(&record);
  if (summary != nullptr && loses_increment(snapshot, *summary, with_gone)) ++out.changed.increments;
  if (auto const* const attachment = std::get_if<schema::XmlMessageAttachment>(&record)) {
    if (!has_node(snapshot, RecordType::topic, attachment->topic_id, with_gone))
      out.needed = schema::format_ref(RecordType::topic, attachment->topic_id);
  }
  if (with_gone && std::holds_alternative<schema::FeedbackRecord>(record) && rates_gone(snapshot, record))
    ++out.changed.ratings;
  if (auto const* const prompt = std::get_if<schema::PromptContext>(&record))
    out.needed = needed_query(snapshot, *prompt, with_gone);
  if (auto const* const answer = std::get_if<schema::Answer>(&record))
    out.needed = needed_query(snapshot, *answer, with_gone);
  if (auto const* const vector = std::get_if<schema::EmbeddingVector>(&record)) {
    out.needed = needed_query(snapshot, *vector, with_gone);
  }
  return out;
}

}  // namespace whence::exports
