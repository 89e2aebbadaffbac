// From the table of methods.

#include "net/rpc/call_traits.hpp"

#include "net/rpc/method.hpp"

namespace whence::net {

std::optional<CallTraits> traits_of(std::string_view method, boost::json::object const& params) {
  Method const* const row = find_method(method);
  if (row == nullptr) return std::nullopt;
  bool const writes = row->writes != nullptr && row->writes(params);
  bool const makes_a_job = method == "export.start";
  return CallTraits{.only_reads = row->role == Role::read && !writes && !makes_a_job,
                    .takes_min_tx = row->kind == Kind::read};
}

}  // namespace whence::net
