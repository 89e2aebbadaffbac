// Free data and what is added to it.
#include "schema/wire/unknown_members.hpp"

#include "schema/base/limits.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"
#include "schema/types/flags.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace whence::schema::json {
namespace {

constexpr std::string_view unknown_rule = "unknown_field";

/// What a member adds to an object beside its name and value: quotes, colon, comma.
constexpr std::size_t separators_bytes = 4;

boost::json::object object_of(std::optional<Attributes> const& attributes) {
  auto const parsed = attributes ? parse(attributes->json) : Result<Document>{Document{}};
  return parsed && parsed->value.is_object() ? parsed->value.get_object() : boost::json::object{};
}

/// The smallest first; those of equal size in the order given.
std::vector<UnknownMember> by_size(std::vector<UnknownMember> members) {
  std::ranges::stable_sort(members, {}, [](UnknownMember const& each) { return each.json.size(); });
  return members;
}

/// Whether all of `members` found room.
bool add_members(std::vector<UnknownMember> const& members, std::optional<Attributes>& attributes) {
  auto object = object_of(attributes);
  auto bytes = attributes ? attributes->json.size() : 2;
  bool has_all = true;
  for (auto const& member : members) {
    auto name = member.path.substr(1);
    while (object.contains(name)) name.push_back('_');
    auto value = parse(member.json, limits::json_depth_max);
    std::string written;
    append_string(written, name);
    bytes += written.size() + member.json.size() + separators_bytes;
    if (!value || bytes > limits::attributes_bytes_max) {
      has_all = false;
      break;
    }
    object.emplace(name, std::move(value->value));
  }
  if (!object.empty()) attributes = Attributes{to_canonical_text(object)};
  return has_all;
}

/// Nothing could say on such a record that members are lost, so it is refused.
void refuse_lost(std::vector<Violation>& violations) {
  for (Violation& each : violations) {
    if (each.rule == unknown_rule) each.message = "is no field here, and has no room in `attributes`";
  }
}

template <class T>
void take_into(T& record, IncomingRecord& incoming) {
  // Records from PROV documents have attributes of their own form, and no unknown members.
  if constexpr (std::is_same_v<decltype(record.attributes), std::optional<Attributes>>) {
    auto attributes = record.attributes;
    bool const has_all = add_members(by_size(incoming.unknown), attributes) &&
                         incoming.violations.size() < limits::record_violations_max;
    if constexpr (requires { record.flags; }) {
      add_flag(record.flags, flag::unknown_members);
      if (!has_all) add_flag(record.flags, flag::members_dropped);
    } else if (!has_all) {
      refuse_lost(incoming.violations);
      return;
    }
    record.attributes = std::move(attributes);
    incoming.unknown.clear();
    std::erase_if(incoming.violations, [](Violation const& violation) { return violation.rule == unknown_rule; });
  }
}

}  // namespace

void take_unknown(IncomingRecord& incoming) {
  if (incoming.unknown.empty() || !incoming.is_usable) return;
  std::visit([&](auto& record) { take_into(record, incoming); }, incoming.record);
}

}  // namespace whence::schema::json
