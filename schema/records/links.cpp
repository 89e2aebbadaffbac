// Dispatch to the overload of each record type.
#include "schema/records/links.hpp"

#include "schema/records/rules.hpp"

namespace whence::schema {

std::string LinkPlace::pointer() const {
  std::string text = "/" + std::string(member);
  if (item != no_item) text += "/" + std::to_string(item);
  if (!item_member.empty()) text.append("/").append(item_member);
  return text;
}

std::vector<Link> links_of(Record const& record) {
  return std::visit(
      [](auto const& each) -> std::vector<Link> {
        if constexpr (requires { links(each); }) {
          return links(each);
        } else {
          return {};
        }
      },
      record);
}

}  // namespace whence::schema
