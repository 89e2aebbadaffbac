#include "schema/types/belonging.hpp"

#include "schema/base/digest.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"

#include <optional>
#include <utility>

namespace whence::schema {
namespace {

bool may_be_id(std::string_view name) {
  return name.size() <= limits::id_bytes_max && !has_control_character(name);
}

}  // namespace

std::string belonging_id(std::string_view name) {
  return may_be_id(name) ? std::string(name) : "sha256-" + to_hex(sha256(name));
}

void append_belonging(EdgeType type, std::string const& name, std::string_view member, std::vector<Link>& links) {
  if (name.empty()) return;
  Link link{type,    type == EdgeType::of_person ? RecordType::person : RecordType::session, name, true, std::nullopt,
            {member}};
  link.is_enforced = false;  // made with the record; one that was deleted does not come back with a repeat
  if (!may_be_id(name)) link.made_id = belonging_id(name);
  links.push_back(std::move(link));
}

}  // namespace whence::schema
