// versions.list and versions.diff: the line of versions a node stands in, and what changed between two of them.

#include "queries/history/chain.hpp"
#include "queries/queries.hpp"
#include "queries/render/forms.hpp"
#include "queries/resolve.hpp"
#include "schema/base/report.hpp"
#include "schema/json/codec.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include <boost/json/object.hpp>

namespace whence::queries {
namespace {

/// One member that differs, as compact JSON; empty on the side that lacks it.
struct Change {
  std::string path;
  std::string before;
  std::string after;
};

using Members = std::map<std::string, std::string>;  // JSON Pointer to text that is equal for equal values

Result<Members> members_of(schema::Record const& record) {
  auto const document = schema::json::parse(schema::json::to_text(record));
  if (!document) return document.error();
  Members members;
  for (auto const& member : document->value.as_object()) {
    if (member.key() == "$type$" || member.key() == "id") continue;
    std::string path;
    schema::append_step(path, member.key());
    members.emplace(std::move(path), schema::json::to_canonical_text(member.value()));
  }
  return members;
}

Result<std::vector<Change>> changes_between(View const& view, std::span<VertexId const> sides) {
  std::vector<Members> members;
  Result<void> parsed;
  auto const read = read_whole(view, sides, [&](std::size_t, schema::Record&& record) {
    auto of_record = members_of(record);
    if (!of_record) {
      parsed = of_record.error();
      return false;
    }
    members.push_back(std::move(*of_record));
    return true;
  });
  if (!read) return read.error();
  if (!parsed) return parsed.error();

  std::map<std::string, Change> changes;  // by path, in byte order
  for (auto& [path, text] : members[0]) changes[path].before = std::move(text);
  for (auto& [path, text] : members[1]) changes[path].after = std::move(text);
  std::vector<Change> different;
  for (auto& [path, change] : changes) {
    if (change.before == change.after) continue;
    different.push_back({path, std::move(change.before), std::move(change.after)});
  }
  return different;
}

void write_change(Writer& out, Change const& change) {
  auto const or_null = [](std::string const& text) { return text.empty() ? std::string_view("null") : text; };
  out.begin_object().member("path", change.path);
  out.key("before").raw(or_null(change.before));
  out.key("after").raw(or_null(change.after));
  out.end_object();
}

}  // namespace

Result<PageSource> versions_list(View const& view, VersionsListParams const& params, Budget const& /*budget*/) {
  auto const member = resolve(view.snapshot, params.ref, "/ref");
  if (!member) return member.error();
  auto const chain = std::make_shared<std::vector<Version> const>(version_chain(view.snapshot, *member));
  bool const has_version = is_versioned(view.snapshot.type(*member));
  Includes const includes = includes_of(params.include);
  auto const write = [view, chain, includes, has_version](Writer& out, std::size_t begin, std::size_t end) {
    std::span<Version const> const page(chain->data() + begin, end - begin);
    return write_nodes(out, view, includes, page, [has_version](Writer& node_out, Version const& version) {
      if (has_version) node_out.member("version", version.version);
    });
  };
  PageSource answer;
  answer.lists.push_back({"versions", chain->size(), write});
  return answer;
}

Result<PageSource> versions_diff(View const& view, VersionsDiffParams const& params, Budget const& /*budget*/) {
  auto const ends = resolve_both(view.snapshot, {params.a, "/a"}, {params.b, "/b"});
  if (!ends) return ends.error();
  auto const chain = version_chain(view.snapshot, ends->first);
  bool const is_member =
      std::any_of(chain.begin(), chain.end(), [&](Version const& version) { return version.vertex == ends->second; });
  if (!is_member) {
    return error_from(
        invalid_param("chain", "/b", schema::shown(schema::format_ref(params.b)), "not a version of the same thing"));
  }
  std::array<VertexId, 2> const sides{ends->first, ends->second};
  auto changes = changes_between(view, sides);
  if (!changes) return changes.error();

  auto const shared = std::make_shared<std::vector<Change> const>(std::move(*changes));
  auto const write = [shared](Writer& out, std::size_t begin, std::size_t end) -> Result<void> {
    for (std::size_t i = begin; i < end; ++i) write_change(out, (*shared)[i]);
    return {};
  };
  PageSource answer;
  answer.lists.push_back({"changes", shared->size(), write});
  return answer;
}

}  // namespace whence::queries
