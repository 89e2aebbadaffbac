#pragma once
// Any record: the variant of all record types, and what can be asked of each. The values are in the folders included
// here; how a member is called on the wire, and what it must satisfy, is in the fields.hpp beside them.

#include "schema/base/time.hpp"
#include "schema/records/context/records.hpp"
#include "schema/records/conversation/records.hpp"
#include "schema/records/discussion/records.hpp"
#include "schema/records/prov/records.hpp"
#include "schema/records/retrieval/records.hpp"
#include "schema/types/record_catalogue.hpp"
#include "schema/types/record_type.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace whence::schema {

/// A variant of `Types`; the void in front lets a list of types be made of ", T" for each.
template <class Void, class... Types>
struct VariantOf {
  using type = std::variant<Types...>;
};

/// Alternative i is the record type numbered i + 1.
#define WHENCE_ALTERNATIVE(number, enumerator, Struct, ...) , Struct
using Record = VariantOf<void WHENCE_RECORD_TYPES(WHENCE_ALTERNATIVE)>::type;
#undef WHENCE_ALTERNATIVE

[[nodiscard]] RecordType type_of(Record const& record) noexcept;

/// A record of `type` with every member at its default; nothing for a number without a type.
[[nodiscard]] std::optional<Record> blank_record(RecordType type);

/// The id under which its node is known: what follows the colon of its ref. Members that make it up are joined as
/// schema/types/ref.hpp says; an attachment's is its hash, a manifest's its response's, a citation's its request's.
/// Empty where the server is to make one.
[[nodiscard]] std::string node_id_of(Record const& record);

/// Sets the members that make up the id. `id` is of the form `node_id_of` gives for this type of record.
void set_node_id(Record& record, std::string_view id);

/// The record's own time, in the member that the catalogue names; nothing where it has none.
[[nodiscard]] std::optional<Time> time_of(Record const& record) noexcept;

}  // namespace whence::schema
