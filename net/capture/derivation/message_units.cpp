// A message of a prompt that no source said becomes a unit with an id made from the message, so that all calls that
// have it share the unit, with the earliest of their times. One that responses drop is deleted where nothing else needs
// it.

#include "net/capture/derivation/message_units.hpp"

#include "graph/snapshot/records.hpp"
#include "net/capture/causes/call_causes.hpp"
#include "net/capture/known/known_records.hpp"
#include "net/capture/records/span_records.hpp"
#include "net/capture/trace/refs.hpp"
#include "schema/records/conversation/records.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace whence::net::capture {

using schema::Basis;
using schema::RecordType;

namespace {

/// Who says the messages of a call by what its own span or its resource says: not by spans around it, which may come
/// later, since a unit has one id whatever the order.
std::string speaker_of(SpanFacts const& call) {
  return belonging_text(call.own.person.empty() ? call.at_resource.person : call.own.person);
}

}  // namespace

Result<KeptMessages> MessageUnits::kept_messages(Causes const& refs) {
  std::vector<schema::VertexId> vertices;
  for (auto const& [text, basis] : refs) {
    auto const ref = schema::parse_ref(text);
    if (!ref || ref->type != RecordType::context_unit || messages_.contains(text)) continue;
    auto const vertex = all_.snapshot.find(ref->type, ref->id);
    if (!vertex || all_.snapshot.gone(*vertex)) continue;
    messages_.emplace(text, std::nullopt);
    vertices.push_back(*vertex);
  }
  auto const read =
      graph::read_those_there(all_.snapshot, all_.reader, vertices, [&](std::size_t, schema::Record&& record) {
        auto const* const unit = std::get_if<schema::ContextUnit>(&record);
        if (unit == nullptr) return true;
        auto text = unit->content;
        if (!text && unit->content_blob) {
          if (auto blob = all_.reader.read_blob(*unit->content_blob))
            text = std::move(*blob);  // else it is not compared
        }
        if (text) messages_[schema::format_ref(RecordType::context_unit, unit->id)] = kept_message(*unit, *text);
        return true;
      });
  if (!read) return read.error();
  KeptMessages kept;
  for (auto const& [text, basis] : refs) {
    auto const found = messages_.find(text);
    if (found != messages_.end() && found->second) kept.emplace(text, *found->second);
  }
  return kept;
}

void MessageUnits::use(Message const& message, SpanFacts const& call, Causes& refs) {
  auto unit = unit_of(all_.key, message, call.start, speaker_of(call));
  auto const known = all_.snapshot.find(RecordType::context_unit, unit.id);
  if (known && !all_.snapshot.causes(*known).empty()) return;
  auto const ref = schema::format_ref(RecordType::context_unit, unit.id);
  refs.emplace(ref, basis_of(message));
  all_.said.insert(ref);
  auto const [at, is_first] = units_.try_emplace(unit.id, unit);
  if (!is_first) at->second.timestamp = std::min(at->second.timestamp, unit.timestamp);
}

Result<void> MessageUnits::remove_units() {
  for (auto const& [unit, places] : dropped_) {
    auto const is_free = is_needed_by_none(unit, places);
    if (!is_free) return is_free.error();
    if (*is_free) {
      all_.out.deletes.push_back(*schema::parse_ref(unit));
      continue;
    }
    auto& left = left_[schema::parse_ref(unit)->id];
    for (auto const& [place, basis] : places) {
      auto& response = std::get<schema::Response>(all_.out.records[place].record);
      auto refs = known_causes(response);
      auto const is_renewed = renewals_.renew(*call_of_response(response.id), refs);
      if (!is_renewed) return is_renewed.error();
      if (*is_renewed) {
        left.insert(response.id);
      } else {
        refs.emplace(unit, basis);
      }
      set_causes(refs, response);
    }
  }
  return {};
}

Result<bool> MessageUnits::is_needed_by_none(std::string const& unit,
                                             std::map<std::size_t, Basis> const& places) const {
  auto const ref = *schema::parse_ref(unit);
  auto const vertex = all_.snapshot.find(ref.type, ref.id);
  if (!vertex || units_.contains(ref.id) || all_.snapshot.relations_to(*vertex).size() > 0) return false;
  auto const effects = all_.snapshot.effects(*vertex);
  if (effects.size() > users_max) return false;
  std::set<std::string> dropping;
  for (auto const& [place, basis] : places)
    dropping.insert(std::get<schema::Response>(all_.out.records[place].record).id);
  for (std::size_t i = 0; i < effects.size(); ++i) {
    std::string const id{all_.snapshot.id(effects.vertices[i])};
    if (dropping.contains(id) || all_.deleted.contains(schema::format_ref(RecordType::response, id))) continue;
    auto const call = call_of_response(id);
    bool const is_prompt = schema::named_type(all_.snapshot.type(effects.edges[i])) == schema::EdgeType::prompted;
    if (!call || !is_prompt) return false;
    auto const response = read_response(all_, *record_ref(*call, Kind::call));
    if (!response) return response.error();
    if (!*response || known_causes(**response).contains(unit)) return false;
  }
  return true;
}

Result<void> MessageUnits::write_units() {
  for (auto const& [id, dropping] : left_) {
    if (auto const set = set_earliest(id, dropping); !set) return set.error();
  }
  for (auto& [id, unit] : units_) {
    if (auto const added = add_unit(std::move(unit)); !added) return added.error();
  }
  return {};
}

Result<std::optional<std::vector<schema::Time>>> MessageUnits::said_at(schema::VertexId unit,
                                                                       std::set<std::string> const& dropping) const {
  auto const effects = all_.snapshot.effects(unit);
  std::optional<std::vector<schema::Time>> times;
  if (effects.size() > users_max) return times;
  times.emplace();
  for (std::size_t i = 0; i < effects.size(); ++i) {
    std::string const id{all_.snapshot.id(effects.vertices[i])};
    if (dropping.contains(id) || all_.deleted.contains(schema::format_ref(RecordType::response, id))) continue;
    auto const call = call_of_response(id);
    auto const start = call ? start_of(all_, *call) : Result<std::optional<Nanos>>{std::nullopt};
    if (!start) return start.error();
    if (!*start) return std::optional<std::vector<schema::Time>>{};
    times->push_back(time_of_nanos(**start));
  }
  return times;
}

Result<void> MessageUnits::set_earliest(std::string const& unit, std::set<std::string> const& dropping) {
  auto const vertex = all_.snapshot.find(RecordType::context_unit, unit);
  if (!vertex || all_.snapshot.gone(*vertex)) return {};
  auto times = said_at(*vertex, dropping);
  if (!times) return times.error();
  if (!*times) return {};
  auto const used = units_.find(unit);
  if (used != units_.end() && used->second.timestamp) (*times)->push_back(*used->second.timestamp);
  if ((*times)->empty()) return {};
  auto const earliest = *std::ranges::min_element(**times);
  return graph::read_those_there(all_.snapshot, all_.reader, {&*vertex, 1}, [&](std::size_t, schema::Record&& record) {
    auto known = std::get<schema::ContextUnit>(std::move(record));
    if (!kept_message(known, {})) return true;  // a client's
    if (used != units_.end()) units_.erase(used);
    if (std::exchange(known.timestamp, earliest) != earliest) all_.write(std::move(known));
    return true;
  });
}

Result<void> MessageUnits::add_unit(schema::ContextUnit unit) {
  auto const vertex = all_.snapshot.find(RecordType::context_unit, unit.id);
  if (vertex) {
    bool is_there = false;  // one whose text is gone is given again
    bool is_later = false;
    auto const read =
        graph::read_those_there(all_.snapshot, all_.reader, {&*vertex, 1}, [&](std::size_t, schema::Record&& record) {
          auto const& known = std::get<schema::ContextUnit>(record);
          is_there = true;
          is_later = known.attributes == unit.attributes && known.timestamp > unit.timestamp;
          return true;
        });
    if (!read) return read.error();
    if (is_there && !is_later) return {};
  }
  all_.write(std::move(unit));
  return {};
}

}  // namespace whence::net::capture
