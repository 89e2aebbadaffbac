#include "net/capture/causes/call_causes.hpp"

#include "schema/base/limits.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace whence::net::capture {

using schema::Basis;
namespace limits = schema::limits;

Causes known_causes(schema::Response const& response) {
  Causes known;
  if (!response.prompt_refs) return known;
  for (std::size_t i = 0; i < response.prompt_refs->size(); ++i) {
    bool const has_basis = response.prompt_basis && i < response.prompt_basis->size();
    known.emplace((*response.prompt_refs)[i], has_basis ? (*response.prompt_basis)[i] : Basis::given);
  }
  return known;
}

Causes take_placed(Causes& causes) {
  Causes placed;
  std::erase_if(causes, [&](auto const& each) {
    if (each.second == Basis::place) placed.insert(each);
    return each.second == Basis::place;
  });
  return placed;
}

Causes take_superseded(Causes& causes, CallCauses const& found) {
  Causes taken;
  for (auto const& ref : found.superseded) {
    auto const known = causes.find(ref);
    bool const is_by_evidence = known != causes.end() && (known->second == Basis::id || known->second == Basis::text);
    if (is_by_evidence && !found.refs.contains(ref)) taken.insert(causes.extract(known));
  }
  return taken;
}

void set_causes(Causes const& causes, schema::Response& response) {
  response.prompt_refs.reset();
  response.prompt_basis.reset();
  if (causes.empty()) return;
  auto& refs = response.prompt_refs.emplace();
  std::vector<Basis> bases;
  bool are_given = true;
  for (auto const& [ref, basis] : causes) {
    if (refs.size() == limits::refs_max) break;
    refs.push_back(ref);
    bases.push_back(basis);
    are_given = are_given && basis == Basis::given;
  }
  if (!are_given) response.prompt_basis = std::move(bases);
}

}  // namespace whence::net::capture
