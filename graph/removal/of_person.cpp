// A person's records are found over their edges; what only these rest on, and its copies, in rounds until none is new.
#include "graph/removal/of_person.hpp"

#include "graph/removal/copies.hpp"
#include "graph/removal/log_records.hpp"
#include "schema/types/basis.hpp"
#include "schema/types/belonging.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

namespace whence::graph {
namespace {

using schema::EdgeType;
using schema::RecordType;
using schema::VertexId;

/// Runs of programs and what their log records say, as telemetry keeps them (net/capture).
constexpr std::string_view telemetry_prefix = "urn:otel:";

/// The role of a message that a user wrote.
constexpr std::string_view user_role = "user";

class Gathering {
 public:
  Gathering(Snapshot const& known, std::string_view id, ReadRecord const& read)
      : known_{known}, id_{id}, read_{read}, logs_{known, read} {}

  Result<OfPerson> run() {
    for (auto const person : known_.find_all_ever(RecordType::person, id_)) {
      add(person);
      if (auto const named = add_named(person); !named) return named.error();
    }
    add_discussions();
    if (auto const decided = add_decisions(); !decided) return decided.error();
    for (std::size_t before = 0; before != own_.size();) {
      before = own_.size();
      Copies copies{known_, false};
      copies.find(own_);
      auto const found = copies.found();
      for (auto const vertex : found) add(vertex);
      for (auto const vertex : found) {
        if (auto const gathered = gather_beside(vertex); !gathered) return gathered.error();
      }
      add_traced();
      auto const is_theirs = [&](VertexId each) { return !is_of_others(each); };
      for (auto const log : logs_.find(LogRecords::Which::all, is_theirs)) add(log);
    }
    return OfPerson{.own = own_, .shared = shared()};
  }

 private:
  void add(VertexId vertex) {
    if (!is_own_.insert(schema::number(vertex)).second) return;
    own_.push_back(vertex);
    if (!is_text_type(known_.type(vertex))) note_written(vertex);
  }

  /// Of a text it is not known whose the others are that came with it, but of one that names the person.
  static bool is_text_type(RecordType type) {
    return type == RecordType::context_unit || type == RecordType::query || type == RecordType::prompt_context ||
           type == RecordType::embedding_vector || type == RecordType::message ||
           type == RecordType::xml_message_attachment || type == RecordType::discussion ||
           type == RecordType::discussion_round || type == RecordType::summary_entry || type == RecordType::decision;
  }

  void note_written(VertexId vertex) {
    written_.insert(schema::number(known_.created(vertex)));
    for (auto const& revision : known_.revisions(vertex)) written_.insert(schema::number(revision.tx));
  }
  [[nodiscard]] bool is_own(VertexId vertex) const { return is_own_.contains(schema::number(vertex)); }

  /// Whether something of somebody else is left in it: what was purged needs nothing any more.
  [[nodiscard]] bool is_of_others(VertexId vertex) const {
    return !is_own(vertex) && known_.gone(vertex) != GoneWhy::purged;
  }

  template <class Visit>
  void each(Neighbours const& neighbours, Visit const& visit) const {
    for_each_neighbour(known_, neighbours, visit);
  }

  /// Records that name the person. One that names somebody else by now has both edges.
  Result<void> add_named(VertexId person) {
    std::vector<VertexId> named;
    each(known_.relations_to_ever(person), [&](VertexId from, EdgeType edge) {
      if (edge == EdgeType::of_person) named.push_back(from);
    });
    for (auto const vertex : named) {
      std::size_t persons = 0;
      each(known_.relations_from_ever(vertex),
           [&](VertexId, EdgeType edge) { persons += edge == EdgeType::of_person ? 1 : 0; });
      auto const is_theirs = persons > 1 ? names_person(vertex) : Result<bool>{true};
      if (!is_theirs) return is_theirs.error();
      if (!*is_theirs) continue;
      add(vertex);
      note_written(vertex);
    }
    return {};
  }

  /// What is gone is not known any more; it is removed with either.
  Result<bool> names_person(VertexId vertex) const {
    auto const record = read_(vertex);
    if (!record) return record.error();
    auto const* const response = *record ? std::get_if<schema::Response>(&**record) : nullptr;
    return response == nullptr || (response->person && schema::belonging_id(*response->person) == id_);
  }

  /// Discussions with the person; their rounds and summaries are parts of these.
  void add_discussions() {
    for_each_ever(RecordType::discussion, [&](VertexId discussion) {
      if (is_discussed_by_person(discussion)) add(discussion);
    });
  }

  static bool is_discussed(RecordType type) {
    return type == RecordType::discussion_round || type == RecordType::summary_entry;
  }

  /// Of a discussion, a round or a summary: whether the discussion is the person's.
  [[nodiscard]] bool is_discussed_by_person(VertexId vertex) const {
    auto const parts = schema::split_key(known_.id(vertex));
    return !parts.empty() && schema::belonging_id(parts.front()) == id_;
  }

  /// What the person decided; only the records say that.
  Result<void> add_decisions() {
    Result<void> done;
    for_each_ever(RecordType::decision, [&](VertexId vertex) {
      if (!done) return;
      auto const record = read_(vertex);
      if (!record) {
        done = record.error();
        return;
      }
      auto const* const decision = *record ? std::get_if<schema::Decision>(&**record) : nullptr;
      if (decision != nullptr && schema::belonging_id(decision->by) == id_) add(vertex);
    });
    return done;
  }

  template <class Visit>
  void for_each_ever(RecordType type, Visit const& visit) const {
    for (auto const vertex : known_.vertices(type)) visit(vertex);
    for (auto const vertex : known_.deleted_vertices(type)) visit(vertex);
  }

  Result<void> gather_beside(VertexId vertex) {
    each(known_.relations_to_ever(vertex), [&](VertexId decision, EdgeType edge) {
      if (edge == EdgeType::decides) add(decision);  // its reason may tell what the answer said
    });
    switch (known_.type(vertex)) {
      case RecordType::response:
        add_sessions(vertex);
        add_updates(vertex);
        if (auto const captured = add_runs(vertex); !captured) return captured.error();
        if (auto const asked = add_question(vertex); !asked) return asked.error();
        return add_sources(vertex);
      case RecordType::context_unit:
        if (is_caused_.contains(schema::number(vertex))) return {};  // the version before it was there without it
        return add_sources(vertex);
      case RecordType::answer:
      case RecordType::prompt_context:
        return add_sources(vertex);
      case RecordType::xml_message_attachment:
        add_messages(vertex);
        add_answers(vertex);
        return {};
      case RecordType::message:
        add_answers(vertex);
        return add_topics(vertex);
      case RecordType::discussion_round:
      case RecordType::summary_entry:
        add_answers(vertex);
        return {};
      default:
        return {};
    }
  }

  /// The question of the request that an answer was made for, where no Answer of it leads there.
  Result<void> add_question(VertexId vertex) {
    if (!is_read_.insert(schema::number(vertex)).second) return {};
    auto const record = read_(vertex);
    if (!record) return record.error();
    auto const* const response = *record ? std::get_if<schema::Response>(&**record) : nullptr;
    if (response == nullptr || !response->request_id) return {};
    for (auto const query : known_.find_all_ever(RecordType::query, *response->request_id)) {
      if (!find_own_line(query).empty()) add(query);
    }
    return {};
  }

  /// The messages whose text an attachment is, where nobody else's records are about them.
  void add_messages(VertexId attachment) {
    std::vector<VertexId> messages;
    each(known_.relations_from_ever(attachment), [&](VertexId message, EdgeType edge) {
      if (edge == EdgeType::part_of && !is_own(message)) messages.push_back(message);
    });
    for (auto const message : messages) {
      bool is_theirs = has_only_own(known_.effects_ever(message)) && !is_of_another(message);
      each(known_.relations_to_ever(message), [&](VertexId part, EdgeType edge) {
        is_theirs = is_theirs && (edge != EdgeType::part_of || !is_of_others(part));
      });
      if (is_theirs) add(message);
    }
  }

  /// The answers that a message, its text or a round asked for, or whose text it is, where neither they nor other such
  /// messages and rounds name anybody else.
  void add_answers(VertexId said) {
    std::vector<VertexId> answers;
    auto const note = [&](VertexId answer) {
      bool const may_be = known_.type(answer) == RecordType::response && !is_own(answer);
      if (may_be && !is_of_another(answer) && !is_told_to_another(answer)) answers.push_back(answer);
    };
    bool const is_prompt = known_.type(said) != RecordType::message;  // of a message only the role says so
    auto const effects = known_.effects_ever(said);
    for (std::size_t i = 0; i < effects.size(); ++i) {
      auto const edge = known_.type(effects.edges[i]);
      bool const is_question = schema::basis_of(edge) == schema::Basis::question;
      if (is_prompt ? schema::named_type(edge) == EdgeType::prompted : is_question) note(effects.vertices[i]);
    }
    each(known_.causes_ever(said), [&](VertexId answer, EdgeType edge) {
      if (edge == EdgeType::rendered_as) note(answer);
    });
    for (auto const answer : answers) add(answer);
  }

  /// Whether a message that asked for an answer, or has it, names somebody else. Found out once.
  [[nodiscard]] bool is_told_to_another(VertexId answer) {
    auto const [known, is_new] = is_told_to_another_.try_emplace(schema::number(answer), false);
    if (is_new) known->second = has_message_of_another(answer);
    return known->second;
  }

  [[nodiscard]] bool has_message_of_another(VertexId answer) const {
    auto const names_another = [this](VertexId said) {
      if (known_.type(said) == RecordType::message) return is_of_another(said);
      if (is_discussed(known_.type(said))) return !is_discussed_by_person(said);
      if (known_.type(said) != RecordType::xml_message_attachment) return false;
      bool found = false;
      each(known_.relations_from_ever(said), [&](VertexId message, EdgeType edge) {
        found = found || (edge == EdgeType::part_of && is_of_another(message));
      });
      return found;
    };
    return std::ranges::any_of(known_.causes_ever(answer).vertices, names_another) ||
           std::ranges::any_of(known_.effects_ever(answer).vertices, names_another);
  }

  /// Whether a record names a person other than this one.
  [[nodiscard]] bool is_of_another(VertexId vertex) const {
    bool found = false;
    each(known_.relations_from_ever(vertex), [&](VertexId person, EdgeType edge) {
      found = found || (edge == EdgeType::of_person && known_.id(person) != id_);
    });
    return found;
  }

  void add_sessions(VertexId response) {
    std::vector<VertexId> sessions;
    each(known_.relations_from_ever(response), [&](VertexId session, EdgeType edge) {
      if (edge == EdgeType::of_session && !is_own(session)) sessions.push_back(session);
    });
    for (auto const session : sessions) {
      if (has_only_own(known_.relations_to_ever(session))) add(session);
    }
  }

  /// Topics that have messages of the person alone, and came with a record of theirs or have their name.
  Result<void> add_topics(VertexId message) {
    std::vector<VertexId> topics;
    each(known_.relations_from_ever(message), [&](VertexId topic, EdgeType edge) {
      if (edge == EdgeType::part_of && !is_own(topic)) topics.push_back(topic);
    });
    for (auto const topic : topics) {
      if (!has_only_own(known_.relations_to_ever(topic))) continue;
      auto const is_theirs = came_or_is_named_so(topic);
      if (!is_theirs) return is_theirs.error();
      if (*is_theirs) add(topic);
    }
    return {};
  }

  Result<bool> came_or_is_named_so(VertexId topic) const {
    if (written_.contains(schema::number(known_.created(topic)))) return true;
    auto const record = read_(topic);
    if (!record) return record.error();
    auto const* const named = *record ? std::get_if<schema::Topic>(&**record) : nullptr;
    return named != nullptr && named->name && schema::belonging_id(*named->name) == id_;
  }

  /// Versions of units that an answer caused, and the versions after these, from which nothing else was made.
  void add_updates(VertexId response) {
    std::vector<VertexId> caused;
    each(known_.effects_ever(response), [&](VertexId unit, EdgeType edge) {
      if (edge == EdgeType::updated_by && !is_own(unit)) caused.push_back(unit);
    });
    for (auto const unit : caused) {
      for (auto const version : find_own_line(unit)) {
        if (version != unit && !is_updated_by_own(version)) break;
        add(version);
        is_caused_.insert(schema::number(version));
      }
    }
  }

  [[nodiscard]] bool is_updated_by_own(VertexId unit) const {
    bool is_theirs = false;
    each(known_.causes_ever(unit), [&](VertexId cause, EdgeType edge) {
      is_theirs = is_theirs || (edge == EdgeType::updated_by && is_own(cause));
    });
    return is_theirs;
  }

  /// What a text was made from and nothing else was.
  Result<void> add_sources(VertexId effect) {
    auto const causes = known_.causes_ever(effect);
    for (std::size_t i = 0; i < causes.size(); ++i) {
      auto const source = causes.vertices[i];
      if (is_own(source)) continue;
      auto const line = find_own_line(source);
      for (auto const version : line) {
        auto const is_theirs = may_be_own(version, known_.type(causes.edges[i]));
        if (!is_theirs) return is_theirs.error();
        if (!*is_theirs) break;  // the ones before it stay with it
        add(version);
      }
    }
    return {};
  }

  /// A source, and of a unit the versions after it, of a question its prompts, the last first; none where something
  /// else was made from any of these that is not the person's. The numbers of a question go with it.
  [[nodiscard]] std::vector<VertexId> find_own_line(VertexId source) const {
    bool const has_versions = known_.type(source) == RecordType::context_unit;
    bool const has_prompts = known_.type(source) == RecordType::query;
    std::vector<VertexId> line{source};
    std::unordered_set<std::uint32_t> seen{schema::number(source)};
    for (std::size_t i = 0; i < line.size(); ++i) {  // grows while it is walked
      auto const effects = known_.effects_ever(line[i]);
      for (std::size_t k = 0; k < effects.size(); ++k) {
        auto const effect = effects.vertices[k];
        if (is_own(effect) || known_.type(effect) == RecordType::embedding_vector) continue;
        bool const is_version = has_versions && known_.type(effects.edges[k]) == EdgeType::derived_from &&
                                known_.value(effects.edges[k]).has_value();
        bool const is_prompt = has_prompts && known_.type(effect) == RecordType::prompt_context;
        if (!is_version && !is_prompt) {
          if (is_of_others(effect)) return {};
          continue;
        }
        if (seen.insert(schema::number(effect)).second) line.push_back(effect);
      }
    }
    std::ranges::reverse(line);
    return line;
  }

  /// Units that came with a record of the person's, and at any time what was asked: a Query and its prompt, what an
  /// answer names as its question, and units and messages of users. What is gone says no more what it was.
  Result<bool> may_be_own(VertexId source, EdgeType edge) {
    auto const type = known_.type(source);
    if (type == RecordType::query || type == RecordType::prompt_context) return true;
    if (type == RecordType::context_unit && written_.contains(schema::number(known_.created(source)))) return true;
    bool const may_be_said = type == RecordType::context_unit || type == RecordType::message;
    if (may_be_said && is_of_another(source)) return false;
    bool const is_asked = schema::basis_of(edge) == schema::Basis::question;
    if (is_asked && may_be_said) return true;
    if (type == RecordType::xml_message_attachment) return schema::named_type(edge) == EdgeType::prompted;
    return may_be_said ? is_said_by_user(source) : Result<bool>{false};
  }

  Result<bool> is_said_by_user(VertexId source) {
    auto const [known, is_first] = is_said_.try_emplace(schema::number(source), false);
    if (!is_first) return known->second;
    auto const record = read_(source);
    if (!record) return record.error();
    if (!*record) return known->second = true;
    auto const* const unit = std::get_if<schema::ContextUnit>(&**record);
    auto const* const message = std::get_if<schema::Message>(&**record);
    known->second =
        (unit != nullptr && schema::is_own_text(unit->type)) || (message != nullptr && message->role == user_role);
    return known->second;
  }

  [[nodiscard]] bool has_only_own(Neighbours const& neighbours) const {
    return std::ranges::none_of(neighbours.vertices, [&](VertexId vertex) { return is_of_others(vertex); });
  }

  [[nodiscard]] bool is_of_telemetry(VertexId vertex) const { return known_.id(vertex).starts_with(telemetry_prefix); }

  /// The span that an answer was captured from; and its whole trace, where all answers of that are the person's.
  Result<void> add_runs(VertexId response) {
    std::vector<VertexId> spans;
    each(known_.relations_to_ever(response), [&](VertexId span, EdgeType edge) {
      if (edge == EdgeType::prov_had_member && is_of_telemetry(span)) spans.push_back(span);
    });
    for (auto const span : spans) {
      logs_.note_span(span);
      if (is_own(span)) continue;
      add(span);
      std::vector<VertexId> traces;
      each(known_.causes_ever(span), [&](VertexId trace, EdgeType edge) {
        if (edge == EdgeType::prov_was_informed_by && is_of_telemetry(trace)) traces.push_back(trace);
      });
      for (auto const trace : traces) {
        if (auto const added = add_trace(trace); !added) return added;
      }
    }
    return {};
  }

  Result<void> add_trace(VertexId trace) {
    std::vector<VertexId> runs;
    std::vector<VertexId> members;
    if (is_own(trace)) return {};
    bool is_shared = false;
    each(known_.effects_ever(trace), [&](VertexId run, EdgeType) {
      if (!is_of_telemetry(run)) return;
      runs.push_back(run);
      each(known_.relations_from_ever(run), [&](VertexId member, EdgeType edge) {
        if (edge != EdgeType::prov_had_member) return;
        is_shared = is_shared || (known_.type(member) == RecordType::response && is_of_others(member));
        members.push_back(member);
      });
    });
    if (is_shared) return logs_.note_shared(trace);  // others' answers
    add(trace);
    for (auto const run : runs) add(run);
    std::ranges::copy_if(members, std::back_inserter(traced_), [&](VertexId member) {
      return known_.type(member) == RecordType::context_unit || known_.type(member) == RecordType::query;
    });
    return {};
  }

  /// What the tools, retrievals and embeddings of the person's traces say, as soon as nothing of others is made from
  /// it.
  void add_traced() {
    for (auto const member : traced_) {
      if (is_own(member)) continue;
      for (auto const version : find_own_line(member)) add(version);
    }
  }

  [[nodiscard]] std::vector<VertexId> shared() const {
    std::vector<VertexId> others;
    std::unordered_set<std::uint32_t> seen;
    auto const note = [&](VertexId each) {
      if (!is_own(each) && seen.insert(schema::number(each)).second) others.push_back(each);
    };
    for (auto const vertex : own_) {
      auto const type = known_.type(vertex);
      if (type != RecordType::response && type != RecordType::answer && type != RecordType::prompt_context) continue;
      each(known_.causes_ever(vertex), [&](VertexId cause, EdgeType) { note(cause); });
      each(known_.effects_ever(vertex), [&](VertexId unit, EdgeType edge) {
        if (edge == EdgeType::updated_by) note(unit);
      });
    }
    return others;
  }

  Snapshot const& known_;
  std::string_view id_;
  ReadRecord const& read_;
  LogRecords logs_;  // of their calls
  std::vector<VertexId> own_;
  std::vector<VertexId> traced_;                                // units and queries of telemetry in traces of theirs
  std::unordered_set<std::uint32_t> is_own_;                    // `own_` by number
  std::unordered_map<std::uint32_t, bool> is_told_to_another_;  // by answer
  std::unordered_set<std::uint32_t> is_read_;                   // answers whose request was looked for, likewise
  std::unordered_map<std::uint32_t, bool> is_said_;  // sources that were read, likewise: whether a user said it
  std::unordered_set<std::uint32_t> is_caused_;      // versions of units that answers caused, likewise
  std::unordered_set<std::uint64_t> written_;        // the transactions that wrote any of them
};

}  // namespace

Result<OfPerson> find_of_person(Snapshot const& known, std::string_view id, ReadRecord const& read) {
  return Gathering{known, id, read}.run();
}

}  // namespace whence::graph
