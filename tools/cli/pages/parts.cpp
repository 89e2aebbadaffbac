// Which parts the page of a type has.

#include "net/plain_text/cell.hpp"
#include "schema/types/ref.hpp"
#include "tools/cli/pages/page.hpp"
#include "tools/cli/pages/print.hpp"

#include <boost/json/array.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;
using schema::RecordType;

/// Items of one list; a page is read, not searched.
constexpr int listed_max = 20;
constexpr int said_max = 50;  ///< messages, rounds

json::array with_record() {
  return {"record", "status"};
}

json::object graph_params(PageNode const& node, int up, int down, bool has_relations) {
  return {
      {"ref", node.ref},         {"up", up}, {"down", down}, {"relations", has_relations}, {"limit", listed_max + 1},
      {"include", with_record()}};
}

PagePart sources(PageNode const& node) {
  return {"sources",
          "lineage.influence",
          {{"ref", node.ref}, {"limit", listed_max}, {"include", with_record()}},
          print_sources};
}

PagePart uses(PageNode const& node) {
  return {"uses", "lineage.graph", graph_params(node, 0, 1, false), print_uses};
}

PagePart impact(PageNode const& node) {
  return {"impact",
          "impact.analyze",
          {{"refs", json::array{json::value(node.ref)}}, {"limit", listed_max}, {"include", with_record()}},
          print_impact};
}

PagePart ratings(PageNode const& node) {
  return {"ratings", "feedback.list", {{"ref", node.ref}, {"limit", listed_max}}, print_ratings};
}

PagePart versions(PageNode const& node) {
  return {"versions",
          "versions.list",
          {{"ref", node.ref}, {"limit", said_max}, {"include", with_record()}},
          print_versions};
}

PagePart history(PageNode const& node) {
  return {"history", "history.get", {{"ref", node.ref}, {"limit", said_max}}, print_history};
}

PagePart neighbours(PageNode const& node) {
  return {"neighbours", "lineage.graph", graph_params(node, 1, 1, true), print_neighbours};
}

/// Records of a type whose members are these, the newest first.
json::object newest_params(std::string_view type, json::object where, std::string_view by, int limit) {
  return {{"type", type},
          {"where", std::move(where)},
          {"order", {{"by", by}, {"desc", true}}},
          {"limit", limit},
          {"include", with_record()}};
}

PagePart act(std::string const& request_id) {
  return {"answer", "rag.get", {{"request_id", request_id}}, print_act};
}

std::vector<PagePart> parts_of_response(PageNode const& node) {
  std::vector<PagePart> parts;
  std::string const request = net::plain_text::cell(node.record, "request_id");
  if (!request.empty()) parts.push_back(act(request));
  for (auto const& part : {sources(node), ratings(node), uses(node)}) parts.push_back(part);
  return parts;
}

std::vector<PagePart> parts_of_topic(PageNode const& node) {
  std::string const id = net::plain_text::cell(node.record, "id");
  return {
      {"messages", "node.find", newest_params("Message", {{"topicId", id}}, "createdAt", said_max), print_messages},
      {"attachments", "attachment.list", {{"topicId", id}, {"limit", said_max}}, print_attachments},
      {"subjects", "node.find", newest_params("Subject", {{"topic", id}}, "lastSeenAt", listed_max), print_subjects},
      {"keywords", "node.find", newest_params("Keyword", {{"topic", id}}, "lastSeen", listed_max), print_keywords},
      {"summaries", "node.find", newest_params("Summary", {{"topic", id}}, "version", listed_max), print_summaries},
      uses(node)};
}

std::vector<PagePart> parts_of_discussion(PageNode const& node) {
  json::object const which{{"userId", net::plain_text::cell(node.record, "userId")},
                           {"discussionId", net::plain_text::cell(node.record, "discussionId")}};
  return {{"discussion", "discussion.get", which, print_discussion},
          {"summaries", "node.find", newest_params("SummaryEntry", which, "roundNumber", listed_max),
           print_round_summaries},
          {"rounds", "node.find", newest_params("DiscussionRound", which, "roundNumber", said_max), print_rounds},
          uses(node)};
}

std::vector<PagePart> parts_of_any(PageNode const& node) {
  std::vector<PagePart> parts;
  bool const is_source = schema::info(node.type).is_rated && node.type != RecordType::feedback_record;
  if (is_source) parts.push_back(ratings(node));
  for (auto const& part : {versions(node), neighbours(node), history(node)}) parts.push_back(part);
  return parts;
}

}  // namespace

std::vector<PagePart> parts_of(PageNode const& node) {
  if (node.record.empty()) return parts_of_any(node);  // its content is gone: the graph knows it still
  std::vector<PagePart> parts;
  switch (node.type) {
    case RecordType::response:
      return parts_of_response(node);
    case RecordType::answer:
      return {act(net::plain_text::cell(node.record, "request_id")), sources(node), ratings(node), uses(node)};
    case RecordType::context_unit:
      return {ratings(node), versions(node), history(node), sources(node), uses(node)};
    case RecordType::document:
      return {ratings(node), uses(node), impact(node)};
    case RecordType::retrieved_chunk:
      return {ratings(node), neighbours(node), impact(node), history(node)};
    case RecordType::topic:
      return parts_of_topic(node);
    case RecordType::discussion:
      return parts_of_discussion(node);
    case RecordType::query:
      parts = {act(net::plain_text::cell(node.record, "request_id"))};
      break;
    case RecordType::message:
      parts = {{"attachments",
                "attachment.list",
                {{"messageId", net::plain_text::cell(node.record, "id")}, {"limit", listed_max}},
                print_attachments}};
      break;
    case RecordType::xml_message_attachment:
      parts = {{"xml", "attachment.get", {{"hash", node.ref}}, print_xml}};
      break;
    default:
      break;
  }
  for (PagePart const& part : parts_of_any(node)) parts.push_back(part);
  return parts;
}

}  // namespace whence::tools
