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

ContextUnit unit_of(ContextReference& use, schema::Time timestamp) {
  return {.id = use.context_unit_id,
          .type = use.type.value_or(schema::ContextType::external),
          .source = std::move(use.source).value_or(""),
          .timestamp = use.timestamp.value_or(timestamp),
          .embedding_id = std::move(use.embedding_id),
          .summary = std::move(use.summary),
          .attributes = std::move(use.attributes),
          .content = std::move(use.content)};
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
      TakenUnit unit{.index = i, .place = place};
      unit.has_made_id = has_made_id(use.context_unit_id, use.source.value_or(""), use.content);
      unit.unit = unit_of(use, response->timestamp);
      use = {.context_unit_id = std::move(use.context_unit_id), .weight = use.weight};
      if (!unit.unit.id.empty()) taken.push_back(std::move(unit));
    }
  }
  return taken;
}

void name_units(WriteBatch& batch) {
  for (auto& given : batch.records) {
    auto* unit = record_of<ContextUnit>(given);
    if (unit == nullptr || !unit->content) continue;
    if (unit->id.empty()) unit->id = schema::unit_id_of(unit->source, *unit->content);
    given.has_made_id = has_made_id(unit->id, unit->source, unit->content);
  }
}

}  // namespace whence::engine
