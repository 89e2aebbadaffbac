// The rules that join members of one record: sums, versions, repeated ids, manifests that agree with themselves.
#include "schema/records/check.hpp"

#include "schema/base/bounds.hpp"
#include "schema/records/check_joined.hpp"
#include "schema/base/limits.hpp"
#include "schema/records/record_fields.hpp"
#include "schema/records/ref.hpp"
#include "schema/base/report.hpp"

#include <cmath>
#include <map>
#include <string_view>

namespace whence::schema {
namespace {

/// The sum of the weights in `list`, where each of them is fine.
template <class List>
void check_weight_sum(List const& list, Path const& at, Report& report) {
  double sum = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    Path const item{at, i};
    if (!(list[i].weight >= 0 && list[i].weight <= 1) || report.has(Path{item, "weight"})) return;
    sum += list[i].weight;
  }
  if (list.empty() || is_weight_sum(sum)) return;
  report.add(at, "weight_sum", shown(sum), "the weights must sum to 1, give or take 0.01");
}

void check_joined(ContextUnit const& unit, Path const& root, Report& report) {
  Path const previous{root, "previous_version_id"};
  if (unit.version > 1 && !unit.previous_version_id && !report.has(Path{root, "version"})) {
    report.add(previous, "version_link", "", "a version above 1 must name the version before it");
  }
  if (unit.version == 1 && unit.previous_version_id && !report.has(Path{root, "version"})) {
    report.add(previous, "version_link", shown(*unit.previous_version_id), "version 1 has no version before it");
  }
  if (!unit.derived_from) return;
  Path const list{root, "derived_from"};
  check_distinct(
      *unit.derived_from, [](std::string const& id) -> std::string_view { return id; },
      [&](std::size_t i, std::string_view id) {
        report.add(Path{list, i}, "duplicate_source", shown(id), "a source may be named once");
      });
}

/// A prompt is made from rounds and summaries, each named once.
void check_prompt_refs(std::vector<std::string> const& refs, Path const& list, Report& report) {
  for (std::size_t i = 0; i < refs.size(); ++i) {
    auto const ref = parse_ref(refs[i]);
    bool const fits = ref && (ref->type == RecordType::discussion_round || ref->type == RecordType::summary_entry);
    if (!fits) report.add(Path{list, i}, "ref", shown(refs[i]), "must be a ref of a DiscussionRound or SummaryEntry");
  }
  check_distinct(
      refs, [](std::string const& ref) -> std::string_view { return ref; },
      [&](std::size_t i, std::string_view ref) {
        report.add(Path{list, i}, "duplicate_ref", shown(ref), "a node may be named once");
      });
}

void check_joined(Response const& response, Path const& root, Report& report) {
  Path const list{root, "context_units"};
  check_distinct(
      response.context_units, [](ContextReference const& use) -> std::string_view { return use.context_unit_id; },
      [&](std::size_t i, std::string_view id) {
        Path const item{list, i};
        report.add(Path{item, "context_unit_id"}, "duplicate_unit", shown(id), "a unit may be used once");
      });
  check_weight_sum(response.context_units, list, report);
  check_hash(response.query_attachment, Path{root, "query_attachment"}, report);
  if (response.prompt_refs) check_prompt_refs(*response.prompt_refs, Path{root, "prompt_refs"}, report);
}

/// The edges repeat the tree: one for each entry, in any order, of equal weight, all into the root.
void check_edges(LineageManifest const& manifest, Path const& root, Report& report) {
  Path const provenance{root, "provenance_tree"};
  Path const edges{provenance, "edges"};
  // Where a member is wrong in itself, what it disagrees with says nothing new.
  if (report.has_within(provenance) || report.has_within(Path{root, "context_tree"})) return;
  if (report.has(Path{root, "response_id"})) return;
  std::string const& response = manifest.response_id;
  if (manifest.provenance_tree.root != response) {
    report.add(Path{provenance, "root"}, "manifest_mismatch", shown(manifest.provenance_tree.root),
               "must be the response_id");
  }
  std::map<std::string_view, double> open;  // tree entries without an edge yet
  for (ManifestNode const& node : manifest.context_tree) open.emplace(node.id, node.weight);
  for (std::size_t i = 0; i < manifest.provenance_tree.edges.size(); ++i) {
    ManifestEdge const& edge = manifest.provenance_tree.edges[i];
    Path const at{edges, i};
    if (edge.to != response) report.add(Path{at, "to"}, "manifest_mismatch", shown(edge.to), "must be the response_id");
    auto const entry = open.find(edge.from);
    if (entry == open.end()) {
      report.add(Path{at, "from"}, "manifest_mismatch", shown(edge.from),
                 "must be an entry of the tree without another edge");
      continue;
    }
    if (entry->second != edge.weight) {
      report.add(Path{at, "weight"}, "manifest_mismatch", shown(edge.weight), "must equal the tree entry's");
    }
    open.erase(entry);
  }
  if (!open.empty()) {
    report.add(edges, "manifest_mismatch", shown(open.begin()->first), "each entry of the tree must have its edge");
  }
}

void check_joined(LineageManifest const& manifest, Path const& root, Report& report) {
  Path const tree{root, "context_tree"};
  check_distinct(
      manifest.context_tree, [](ManifestNode const& node) -> std::string_view { return node.id; },
      [&](std::size_t i, std::string_view id) {
        Path const item{tree, i};
        report.add(Path{item, "id"}, "duplicate_unit", shown(id), "a unit may be used once");
      });
  check_weight_sum(manifest.context_tree, tree, report);
  check_edges(manifest, root, report);
}

/// Exactly one way of saying the text; the lengths and digests it must agree with are checked where it is known.
void check_joined(XmlMessageAttachment const& attachment, Path const& root, Report& report) {
  if (attachment.xml && attachment.xml_content) {
    report.add(Path{root, "xmlContent"}, "xml_twice", shown(*attachment.xml_content),
               "the text stands in xml or in xmlContent, not in both");
  }
  if (!attachment.xml && !attachment.xml_content && !attachment.xml_blob) {
    report.add(Path{root, "xml"}, "required", "", "an attachment needs its text, or the name of a stored blob");
  }
  if (attachment.xml_blob && !blob_digest(*attachment.xml_blob)) {
    report.add(Path{root, "xmlBlob"}, "blob", shown(*attachment.xml_blob),
               "must be sha256:// and 64 lower-case hex digits");
  }
}

/// Runs follow each other and none ends before it starts.
void check_ranges(std::vector<TimeSpan> const& ranges, Path const& at, Report& report) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    Path const item{at, i};
    if (ranges[i].end < ranges[i].start) {
      report.add(Path{item, "end"}, "range", shown(ranges[i].end.value), "must not lie before start");
    }
  }
}

void check_joined(Keyword const& keyword, Path const& root, Report& report) {
  Path const list{root, "subjects"};
  for (std::size_t i = 0; i < keyword.subjects.size(); ++i) {
    auto const ref = parse_ref(keyword.subjects[i]);
    if (ref && ref->type == RecordType::subject && split_key(ref->id).size() == 2) continue;
    report.add(Path{list, i}, "ref", shown(keyword.subjects[i]), "must be Subject:TOPIC/ID");
  }
  check_distinct(
      keyword.subjects, [](std::string const& ref) -> std::string_view { return ref; },
      [&](std::size_t i, std::string_view ref) {
        report.add(Path{list, i}, "duplicate_subject", shown(ref), "a subject may be named once");
      });
  check_hash(keyword.source_xml_hash, Path{root, "sourceXmlHash"}, report);
}

void check_joined(Subject const& subject, Path const& root, Report& report) {
  Path const list{root, "keywords"};
  check_distinct(
      subject.keywords, [](std::string const& term) -> std::string_view { return term; },
      [&](std::size_t i, std::string_view term) {
        report.add(Path{list, i}, "duplicate_keyword", shown(term), "a term may be named once");
      });
  check_ranges(subject.time_ranges, Path{root, "timeRanges"}, report);
  check_hash(subject.source_xml_hash, Path{root, "sourceXmlHash"}, report);
}

void check_joined(Summary const& summary, Path const& root, Report& report) {
  check_hash(summary.source_xml_hash, Path{root, "sourceXmlHash"}, report);
  if (report.has(Path{root, "version"}) || report.has(Path{root, "topic"})) return;
  auto const expected = summary_id(summary.topic, summary.version);
  if (summary.id != expected) {
    report.add(Path{root, "id"}, "summary_id", shown(summary.id), "must be " + expected);
  }
  if (!summary.previous_version) return;
  Path const previous{root, "previousVersion"};
  if (summary.version == 1) {
    report.add(previous, "version_link", shown(*summary.previous_version), "version 1 has no version before it");
  } else if (auto const before = summary_id(summary.topic, summary.version - 1); *summary.previous_version != before) {
    report.add(previous, "version_link", shown(*summary.previous_version), "must be " + before);
  }
}

/// The overloads without a context are of this file; those with one are of the later seeds'.
template <class T>
void check_all_joined(T const& record, CheckContext const& context, Path const& root, Report& report) {
  if constexpr (requires { check_joined(record, context, root, report); }) {
    check_joined(record, context, root, report);
  } else if constexpr (requires { check_joined(record, root, report); }) {
    check_joined(record, root, report);
  }
}

template <class T>
void prepare_any(T& record, CheckContext const& context) {
  if constexpr (requires { prepare(record, context); }) {
    prepare(record, context);
  } else if constexpr (requires { prepare(record); }) {
    prepare(record);
  }
}

void report_future(Time time, Time latest, std::string_view member, std::string seen, Path const& root,
                   Report& report) {
  if (time > latest) report.add(Path{root, member}, "future", seen, "lies in the future");
}
void check_moment(Time time, Time latest, std::string_view member, Path const& root, Report& report) {
  report_future(time, latest, member, format_rfc3339(time), root, report);
}
void check_moment(EpochMs time, Time latest, std::string_view member, Path const& root, Report& report) {
  report_future(time_of(time), latest, member, shown(time.value), root, report);
}
template <class T>
void check_moment(std::optional<T> const& time, Time latest, std::string_view member, Path const& root,
                  Report& report) {
  if (time) check_moment(*time, latest, member, root, report);
}

template <class T>
void check_time(T const& record, Time latest, Path const& root, Report& report) {
  if constexpr (requires { record.timestamp; }) {
    check_moment(record.timestamp, latest, "timestamp", root, report);
  } else if constexpr (requires { record.created_at; }) {
    check_moment(record.created_at, latest, "createdAt", root, report);
  }
  if constexpr (requires { record.updated_at; }) check_moment(record.updated_at, latest, "updatedAt", root, report);
}

}  // namespace

void check_hash(std::optional<std::string> const& hash, Path const& at, Report& report) {
  if (hash && !digest_from_hex(*hash)) report.add(at, "hash", shown(*hash), "must be 64 lower-case hex digits");
}

bool is_weight_sum(double sum) noexcept {
  return std::abs(sum - 1) <= limits::weight_sum_tolerance;
}

void check(IncomingRecord& incoming, CheckContext const& context) {
  if (!incoming.is_usable) return;
  Report report{incoming.violations};
  Path const root;
  std::visit(
      [&](auto& record) {
        prepare_any(record, context);
        check_bounds(record, Rule{}, root, report);
        check_time(record, context.latest_time, root, report);
        check_all_joined(record, context, root, report);
      },
      incoming.record);
}

}  // namespace whence::schema
