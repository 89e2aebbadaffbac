// Evaluating versions.list and versions.diff.

#include "queries/history/versions.hpp"

#include "queries/history/generated_versions.hpp"
#include "queries/view/resolve.hpp"
#include "queries/view/whole.hpp"
#include "schema/base/report.hpp"
#include "schema/json/json.hpp"
#include "schema/wire/record_object.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>

#include <boost/json/object.hpp>

namespace whence::queries {
namespace {

using Members = std::map<std::string, boost::json::value>;  // by JSON Pointer

Result<Members> members_of(schema::Record const& record) {
  auto object = schema::json::to_object(record);
  if (!object) return object.error();
  Members members;
  for (auto& member : *object) {
    if (member.key() == "$type$" || member.key() == "id") continue;
    std::string path;
    schema::append_step(path, member.key());
    members.emplace(std::move(path), std::move(member.value()));
  }
  return members;
}

/// Whether two members differ: numbers that are written alike are equal, however they are held.
bool is_different(std::optional<boost::json::value> const& a, std::optional<boost::json::value> const& b) {
  if (!a || !b) return a.has_value() != b.has_value();
  return schema::json::to_canonical_text(*a) != schema::json::to_canonical_text(*b);
}

Result<VersionsDifference> changes_between(View const& view, std::span<VertexId const> sides) {
  VersionsDifference difference;
  std::vector<Members> members;
  Result<void> parsed;
  auto const read = read_whole(view, sides, [&](std::size_t i, graph::Said&& said) {
    auto const* const record = said.find();
    if (record == nullptr) {
      difference.gone.push_back({sides[i], *said.gone()});
      return true;
    }
    auto of_record = members_of(*record);
    if (!of_record) {
      parsed = of_record.error();
      return false;
    }
    members.push_back(std::move(*of_record));
    return true;
  });
  if (!read) return read.error();
  if (!parsed) return parsed.error();
  if (!difference.gone.empty()) return difference;  // what cannot be compared has not changed

  std::map<std::string, MemberChange> changes;  // in byte order of the paths
  for (auto& [path, value] : members[0]) changes[path].before = std::move(value);
  for (auto& [path, value] : members[1]) changes[path].after = std::move(value);
  for (auto& [path, change] : changes) {
    if (!is_different(change.before, change.after)) continue;
    change.path = path;
    difference.changes.push_back(std::move(change));
  }
  return difference;
}

/// The line of versions of any node. Entities of PROV have those of `generated_versions`.
Result<VersionChain> chain_of(View const& view, VertexId member) {
  if (view.snapshot.type(member) == schema::RecordType::prov_entity) {
    auto versions = generated_versions(view, member);
    if (!versions) return versions.error();
    if (!versions->empty()) return VersionChain{std::move(*versions), true};
  }
  return VersionChain{version_chain(view.snapshot, member), is_versioned(view.snapshot.type(member))};
}

}  // namespace

Result<VersionChain> versions_list(View const& view, VersionsListParams const& params, Budget const& /*budget*/) {
  auto const member = resolve(view.snapshot, params.ref, "/ref");
  if (!member) return member.error();
  return chain_of(view, *member);
}

Result<VersionsDifference> versions_diff(View const& view, VersionsDiffParams const& params, Budget const& /*budget*/) {
  auto const ends = resolve_both(view.snapshot, {params.a, "/a"}, {params.b, "/b"});
  if (!ends) return ends.error();
  auto const chain = chain_of(view, ends->first);
  if (!chain) return chain.error();
  bool const is_member =
      std::ranges::any_of(chain->versions, [&](Version const& version) { return version.vertex == ends->second; });
  if (!is_member) {
    return error_from(
        invalid_param("chain", "/b", schema::shown(schema::format_ref(params.b)), "not a version of the same thing"));
  }
  std::array<VertexId, 2> const sides{ends->first, ends->second};
  return changes_between(view, sides);
}

}  // namespace whence::queries
