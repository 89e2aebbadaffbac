// The examples, by name of their method. A test sends each to a server with the demo's graph.

#include "net/rpc/examples.hpp"

#include "schema/json/json.hpp"

#include <algorithm>
#include <array>

namespace whence::net {
namespace {

struct Example {
  std::string_view method;
  std::string_view params;
};

constexpr auto examples = std::to_array<Example>({
    {"admin.backup", R"({"path":"backups/today"})"},
    {"admin.log", R"({"kept":"20"})"},
    {"admin.restore",
     R"({"events":[{"tx":1,"at":"2026-01-01T00:00:00Z","op":"put","ref":"Topic:travel-2026","record":{"$type$":"Topic","id":"travel-2026"},"edges":[]}]})"},
    {"admin.retention", R"({"dry_run":true})"},
    {"admin.verify", R"({})"},
    {"attachment.get", R"({"hash":"14b0bd928d5be20f81f7d734c1ee0ba0de2e61d0d35f4d833638641f47165ba5"})"},
    {"attachment.list", R"({"topicId":"family-planning-2025"})"},
    {"discussion.abandon", R"({"userId":"safety","discussionId":"gloves"})"},
    {"discussion.addResponse",
     R"({"userId":"safety","discussionId":"eyewear","roundNumber":2,"persona":"Analyzer AI","content":"Shade 10 or darker."})"},
    {"discussion.answer",
     R"({"userId":"safety","discussionId":"eyewear","roundNumber":1,"userAnswers":["Side shields, too."]})"},
    {"discussion.context", R"({"userId":"safety","discussionId":"eyewear"})"},
    {"discussion.get", R"({"userId":"safety","discussionId":"eyewear"})"},
    {"discussion.open",
     R"({"userId":"safety","discussionId":"eyewear","questions":{"Analyzer AI":["Which lenses for welding?"]}})"},
    {"discussion.prompt", R"({"userId":"safety","discussionId":"eyewear"})"},
    {"discussion.reconcile", R"({"userId":"safety","discussionId":"eyewear"})"},
    {"discussion.set", R"({"userId":"safety","discussionId":"eyewear","isResolved":true})"},
    {"discussion.summarize",
     R"({"userId":"safety","discussionId":"eyewear","summary":"Side shields are worn where chips fly."})"},
    {"discussion.tokens", R"({"userId":"safety","discussionId":"eyewear"})"},
    {"discussion.write", R"({"userId":"safety","discussionId":"eyewear"})"},
    {"export.cancel", R"({"job":"exp_00000000-0000-4000-8000-000000000000"})"},
    {"export.start",
     R"({"format":"graphml","select":{"method":"lineage.ancestors","params":{"ref":"resp_20251011_00126"}}})"},
    {"export.status", R"({"job":"exp_00000000-0000-4000-8000-000000000000"})"},
    {"feedback.list", R"({"ref":"Response:resp_20251010_00124"})"},
    {"history.get", R"({"ref":"ContextUnit:cu_values_yaml_002"})"},
    {"hold.clear", R"({"id":"hold_00000000-0000-4000-8000-000000000000","reason":"the case is closed"})"},
    {"hold.list", R"({})"},
    {"hold.set", R"({"refs":["Topic:family-planning-2025"],"reason":"case 17/2026","dry_run":true})"},
    {"impact.analyze", R"({"refs":["ContextUnit:cu_values_yaml_002"]})"},
    {"impact.blame", R"({"score_below":0})"},
    {"impact.replay_plan", R"({"refs":["cu_values_yaml_002"]})"},
    {"impact.without", R"({"refs":["cu_values_yaml_002"],"sets":true})"},
    {"lineage.ancestors", R"({"ref":"Response:resp_20251011_00126","depth":2})"},
    {"lineage.descendants", R"({"ref":"ContextUnit:cu_values_yaml_002"})"},
    {"lineage.diff", R"({"a":"Response:resp_20251010_00124","b":"Response:resp_20251011_00126"})"},
    {"lineage.graph", R"({"ref":"Response:resp_20251010_00125","up":2,"down":1})"},
    {"lineage.influence", R"({"ref":"Response:resp_20251011_00126"})"},
    {"lineage.manifest", R"({"response_id":"resp_20251011_00126"})"},
    {"lineage.path", R"({"from":"ContextUnit:cu_docs_mcp_003","to":"Response:resp_20251011_00126"})"},
    {"lineage.stale", R"({"ref":"resp_20251010_00124"})"},
    {"log.bundle", R"({"ref":"Response:resp_20251011_00126","why":true})"},
    {"log.checkpoint", "{}"},
    {"log.consistency", R"({"from":1})"},
    {"log.cosign", R"({"note":"whence/default\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"})"},
    {"log.proof", R"({"leaf":0})"},
    {"log.rotate", R"({"overlap_s":604800})"},
    {"node.activity", R"({"types":["Response"],"lanes":"agent","period":"day"})"},
    {"node.count", R"({"type":"Response","where":{"model":{"eq":"gpt-4-turbo"}}})"},
    {"node.find", R"({"type":"Response","where":{"agent":{"eq":"claude-sdk:lazy-broker"}},"include":["record"]})"},
    {"node.get", R"({"ref":"Response:resp_20251011_00126"})"},
    {"node.neighbors", R"({"ref":"ContextUnit:cu_values_yaml_002","side":"effects"})"},
    {"person.certificate", R"({"ref":"ProvActivity:urn:whence:erasure:00000000-0000-4000-8000-000000000000"})"},
    {"person.erase", R"({"person":"dana","dry_run":true})"},
    {"person.find", R"({"person":"dana"})"},
    {"purge.confirm", R"({"ref":"ProvActivity:urn:whence:proposal:00000000-0000-4000-8000-000000000000"})"},
    {"purge.proposals", R"({})"},
    {"purge.withdraw", R"({"ref":"ProvActivity:urn:whence:proposal:00000000-0000-4000-8000-000000000000"})"},
    {"query",
     R"({"cypher":"MATCH (u:ContextUnit)-[:USED_IN]->(r:Response) WHERE r.agent = $agent RETURN u.ref, r.ref","params":{"agent":"claude-sdk:lazy-broker"}})"},
    {"rag.answer", R"({"request_id":"req_20261127_1","answer":"Goggles with side shields."})"},
    {"rag.get", R"({"request_id":"req_20251014_0a1b2c"})"},
    {"rag.retrieve",
     R"({"vector":[0.1,0.2,0.3],"model":"tiny-3","request_id":"req_20261127_1","question":"What protects the eyes?","record":true})"},
    {"records.delete", R"({"refs":["Message:msg_2"],"dry_run":true})"},
    {"records.purge", R"({"refs":["ContextUnit:cu_family_006"],"dry_run":true})"},
    {"records.write", R"({"records":[{"$type$":"Topic","id":"travel-2026","name":"Travel"}]})"},
    {"rpc.discover", R"({})"},
    {"search", R"({"text":"college savings"})"},
    {"server.info", R"({})"},
    {"session.hello", R"({"client":"reader","versions":[1]})"},
    {"subscribe", R"({"match":{"types":["Response"]},"since":0})"},
    {"summary.get", R"({"topic":"family-planning-2025"})"},
    {"template.active", R"({"modelId":"gpt-4-turbo"})"},
    {"template.list", R"({})"},
    {"trace", R"({"ref":"Keyword:529-plan"})"},
    {"unit.update", R"({"ref":"ContextUnit:cu_values_yaml_005","summary":"Helm values, two clusters left"})"},
    {"unsubscribe", R"({"sub":"sub_1"})"},
    {"versions.diff", R"({"a":"ContextUnit:cu_values_yaml_002","b":"ContextUnit:cu_values_yaml_005"})"},
    {"versions.list", R"({"ref":"ContextUnit:cu_values_yaml_005"})"},
    {"xml.build",
     R"({"format":"llm-query","userMessage":"How much should we save?","context":{"topicId":"family-planning-2025","messageCount":2}})"},
    {"xml.context", R"({"topicId":"family-planning-2025"})"},
    {"xml.instructions", R"({})"},
    {"xml.validate",
     R"({"xml":"<llmQuery><userMessage>Hello</userMessage><context topicId=\"t\" messageCount=\"0\"/></llmQuery>"})"},
});

static_assert(std::ranges::is_sorted(examples, {}, &Example::method));

}  // namespace

std::string_view example_of(std::string_view method) noexcept {
  auto const found = std::ranges::lower_bound(examples, method, {}, &Example::method);
  return found != examples.end() && found->method == method ? found->params : std::string_view{};
}

void write_examples(schema::json::Writer& out, std::string_view method) {
  auto const parsed = schema::json::parse(example_of(method));
  if (!parsed) return;
  out.key("examples").begin_array().begin_object().member("name", "of the demo").key("params").begin_array();
  for (auto const& [name, value] : parsed->value.get_object()) {
    out.begin_object().member("name", std::string_view{name}).key("value").raw(schema::json::to_text(value));
    out.end_object();
  }
  out.end_array().end_object().end_array();
}

}  // namespace whence::net
