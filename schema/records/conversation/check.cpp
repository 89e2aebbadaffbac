// Checks of conversation records: the one text of an attachment, refs and terms named once, ids of summaries.
#include "schema/base/digest.hpp"
#include "schema/base/report.hpp"
#include "schema/checks/check_context.hpp"
#include "schema/records/conversation/rules.hpp"
#include "schema/types/ref.hpp"

namespace whence::schema {
namespace {

/// Runs follow each other and none ends before it starts.
void check_ranges(std::vector<TimeSpan> const& ranges, Path const& at, Report& report) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    Path const item{at, i};
    if (ranges[i].end < ranges[i].start) {
      report.add(Path{item, "end"}, "range", shown(ranges[i].end.value), "must not lie before start");
    }
  }
}

template <class T>
void check_id_hash(T const& record, Path const& root, Report& report) {
  check_hash(record.id_hash, Path{root, "$idHash$"}, report);
}

bool is_subject_ref(std::string const& text) {
  auto const ref = parse_ref(text);
  return ref && ref->type == RecordType::subject && split_key(ref->id).size() == 2;
}

}  // namespace

void check_joined(Topic const& topic, CheckContext const& /*context*/, Path const& root, Report& report) {
  check_id_hash(topic, root, report);
}

void check_joined(Message const& message, CheckContext const& /*context*/, Path const& root, Report& report) {
  check_id_hash(message, root, report);
}

void check_joined(SystemPromptTemplate const& prompt, CheckContext const& /*context*/, Path const& root,
                  Report& report) {
  check_id_hash(prompt, root, report);
}

/// The text comes in exactly one way. Lengths and digests are checked where the text is known (engine/validation).
void check_joined(XmlMessageAttachment const& attachment, CheckContext const& /*context*/, Path const& root,
                  Report& report) {
  check_id_hash(attachment, root, report);
  if (attachment.xml && attachment.xml_content) {
    report.add(Path{root, "xmlContent"}, "xml_twice", shown(*attachment.xml_content),
               "the text is in xml or in xmlContent, not in both");
  }
  if (!attachment.xml && !attachment.xml_content && !attachment.xml_blob) {
    report.add(Path{root, "xml"}, "required", "", "an attachment needs its text, or the name of a stored blob");
  }
  if (attachment.xml_blob && !blob_digest(*attachment.xml_blob)) {
    report.add(Path{root, "xmlBlob"}, "blob", shown(*attachment.xml_blob),
               "must be sha256:// and 64 lower-case hex digits");
  }
}

void check_joined(Keyword const& keyword, CheckContext const& /*context*/, Path const& root, Report& report) {
  Path const list{root, "subjects"};
  for (std::size_t i = 0; i < keyword.subjects.size(); ++i) {
    if (is_subject_ref(keyword.subjects[i]) || digest_from_hex(keyword.subjects[i])) continue;
    report.add(Path{list, i}, "ref", shown(keyword.subjects[i]), "must be Subject:TOPIC/ID, or its id hash");
  }
  check_distinct(
      keyword.subjects, [](std::string const& ref) -> std::string_view { return ref; },
      [&](std::size_t i, std::string_view ref) {
        report.add(Path{list, i}, "duplicate_subject", shown(ref), "a subject may be named once");
      });
  check_id_hash(keyword, root, report);
  check_hash(keyword.source_xml_hash, Path{root, "sourceXmlHash"}, report);
}

void check_joined(Subject const& subject, CheckContext const& /*context*/, Path const& root, Report& report) {
  Path const list{root, "keywords"};
  check_distinct(
      subject.keywords, [](std::string const& term) -> std::string_view { return term; },
      [&](std::size_t i, std::string_view term) {
        report.add(Path{list, i}, "duplicate_keyword", shown(term), "a term may be named once");
      });
  check_ranges(subject.time_ranges, Path{root, "timeRanges"}, report);
  check_id_hash(subject, root, report);
  check_hash(subject.source_xml_hash, Path{root, "sourceXmlHash"}, report);
}

void check_joined(Summary const& summary, CheckContext const& /*context*/, Path const& root, Report& report) {
  check_id_hash(summary, root, report);
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

}  // namespace whence::schema
