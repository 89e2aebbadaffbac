// A use with more than an id and a weight is a unit.
#include "engine/intake/units.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace whence::engine {
namespace {

using schema::ContextReference;
using schema::ContextUnit;
using schema::SecretKey;

/// Of the records that can be read, faulty or not.
template <class T>
T* record_of(schema::IncomingRecord& given) {
  return given.is_usable ? std::get_if<T>(&given.record) : nullptr;
}

bool has_made_id(SecretKey const& key, ContextUnit const& unit, std::string_view person = {}) {
  auto const own = schema::is_own_text(unit.type) ? person : std::string_view{};
  return unit.content && unit.id == schema::unit_id_of(key, unit.source, *unit.content, own);
}

}  // namespace

std::vector<TakenUnit> take_units(WriteBatch& batch, SecretKey const& id_key) {
  std::vector<TakenUnit> taken;
  for (std::uint32_t i = 0; i < batch.records.size(); ++i) {
    auto* response = record_of<schema::Response>(batch.records[i]);
    if (response == nullptr) continue;
    for (std::uint32_t place = 0; place < response->context_units.size(); ++place) {
      auto& use = response->context_units[place];
      if (!schema::is_inline(use)) continue;
      ContextReference const kept{.context_unit_id = use.context_unit_id, .weight = use.weight};
      TakenUnit unit{.index = i, .place = place, .unit = schema::unit_of(std::exchange(use, kept))};
      unit.has_made_id = has_made_id(id_key, unit.unit, response->person.value_or(std::string{}));
      if (!unit.unit.timestamp) unit.unit.timestamp = response->timestamp;
      if (!kept.context_unit_id.empty()) taken.push_back(std::move(unit));
    }
  }
  return taken;
}

void name_unit(schema::IncomingRecord& given, SecretKey const& id_key) {
  auto* unit = record_of<ContextUnit>(given);
  if (unit == nullptr || !unit->content) return;
  if (unit->id.empty()) unit->id = schema::unit_id_of(id_key, unit->source, *unit->content);
  given.has_made_id = has_made_id(id_key, *unit);
}

void find_own_texts(WriteBatch& batch, SecretKey const& id_key) {
  auto const is_sought = [](schema::IncomingRecord& given) {
    auto const* const unit = given.has_made_id ? nullptr : record_of<ContextUnit>(given);
    return unit != nullptr && unit->content && schema::is_own_text(unit->type);
  };
  if (std::ranges::none_of(batch.records, is_sought)) return;
  std::unordered_map<std::string_view, std::string_view> person_of;  // by the id of a unit that a response uses
  for (auto& given : batch.records) {
    auto const* const response = record_of<schema::Response>(given);
    if (response == nullptr || !response->person) continue;
    for (auto const& use : response->context_units) person_of.emplace(use.context_unit_id, *response->person);
  }
  for (auto& given : batch.records) {
    if (!is_sought(given)) continue;
    auto const& unit = std::get<ContextUnit>(given.record);
    auto const found = person_of.find(unit.id);
    if (found != person_of.end()) given.has_made_id = has_made_id(id_key, unit, found->second);
  }
}

}  // namespace whence::engine
