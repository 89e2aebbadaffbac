// A use with more than an id and a weight is a unit.
#include "engine/intake/units.hpp"

#include <utility>

namespace whence::engine {
namespace {

using schema::ContextReference;
using schema::ContextUnit;

/// Of the records that can be read, faulty or not.
template <class T>
T* record_of(schema::IncomingRecord& given) {
  return given.is_usable ? std::get_if<T>(&given.record) : nullptr;
}

bool has_made_id(std::string const& id, std::string_view source, std::optional<std::string> const& content) {
  return content && id == schema::unit_id_of(source, *content);
}

}  // namespace

std::vector<TakenUnit> take_units(WriteBatch& batch) {
  std::vector<TakenUnit> taken;
  for (std::uint32_t i = 0; i < batch.records.size(); ++i) {
    auto* response = record_of<schema::Response>(batch.records[i]);
    if (response == nullptr) continue;
    for (std::uint32_t place = 0; place < response->context_units.size(); ++place) {
      auto& use = response->context_units[place];
      if (!schema::is_inline(use)) continue;
      ContextReference const kept{.context_unit_id = use.context_unit_id, .weight = use.weight};
      TakenUnit unit{.index = i, .place = place, .unit = schema::unit_of(std::exchange(use, kept))};
      unit.has_made_id = has_made_id(kept.context_unit_id, unit.unit.source, unit.unit.content);
      if (!unit.unit.timestamp) unit.unit.timestamp = response->timestamp;
      if (!kept.context_unit_id.empty()) taken.push_back(std::move(unit));
    }
  }
  return taken;
}

void name_unit(schema::IncomingRecord& given) {
  auto* unit = record_of<ContextUnit>(given);
  if (unit == nullptr || !unit->content) return;
  if (unit->id.empty()) unit->id = schema::unit_id_of(unit->source, *unit->content);
  given.has_made_id = has_made_id(unit->id, unit->source, unit->content);
}

}  // namespace whence::engine
