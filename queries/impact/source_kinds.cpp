// Kinds by type and, of context units, by source.

#include "queries/impact/source_kinds.hpp"

#include "queries/find/field_values.hpp"
#include "schema/base/poll.hpp"
#include "schema/types/basis.hpp"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace whence::queries {

using graph::CauseKind;
using schema::RecordType;

bool is_instruction(std::string_view source) noexcept {
  return source == "message:system" || source == "message:developer";
}

bool is_question(std::string_view source) noexcept {
  return source == "message:user" || source == "message:human";
}

std::string_view source_of_gone(Snapshot const& snapshot, VertexId unit) {
  for (auto const edge : snapshot.effects(unit).edges) {
    auto const basis = schema::basis_of(snapshot.type(edge));
    if (basis == schema::Basis::instruction) return "message:system";
    if (basis == schema::Basis::question) return "message:user";
  }
  return {};
}

Result<SourceKinds> SourceKinds::of(View const& view, std::span<VertexId const> vertices, Budget const& budget) {
  schema::Poll poll(budget.interrupt);
  SourceKinds kinds(view.snapshot);
  std::vector<VertexId> units;
  for (auto const each : vertices) {
    if (view.snapshot.type(each) == RecordType::context_unit) units.push_back(each);
  }
  auto const read = read_field(view, *find_search_field(RecordType::context_unit, "source"), units, poll,
                               [&](std::size_t i, std::optional<Value> const& value) {
                                 auto const* const said = value ? std::get_if<std::string_view>(&*value) : nullptr;
                                 auto const source = said != nullptr ? *said : source_of_gone(view.snapshot, units[i]);
                                 if (is_instruction(source)) kinds.instructions_.insert(schema::number(units[i]));
                                 if (is_question(source)) kinds.questions_.insert(schema::number(units[i]));
                               });
  if (!read) return read.error();
  return kinds;
}

CauseKind SourceKinds::operator()(VertexId vertex) const {
  switch (snapshot_.type(vertex)) {
    case RecordType::context_unit:
      if (instructions_.contains(schema::number(vertex))) return CauseKind::instruction;
      return questions_.contains(schema::number(vertex)) ? CauseKind::question : CauseKind::evidence;
    case RecordType::system_prompt_template:
      return CauseKind::instruction;
    case RecordType::query:
    case RecordType::embedding_vector:
      return CauseKind::question;
    case RecordType::xml_message_attachment:
      return snapshot_.causes(vertex).empty() ? CauseKind::question : CauseKind::evidence;
    default:
      return CauseKind::evidence;
  }
}

}  // namespace whence::queries
