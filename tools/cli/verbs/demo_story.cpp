// The story: Dana's company closed its west site in September, and she moves what she had there to the east. A support
// assistant, the agent `claude-sdk:lazy-broker`, answers her, and what it reads has not heard of the move. Its first
// answer, on her service, is the manifest of the data model this program implements. The second relies on values that
// still name the cluster `west`; her feedback deprecates them. Another agent mends the file with its tools, and the
// fourth answer, made from the new values, is right. Moving house with her children she asks about saving for college:
// the XML documents of both sides are kept, and a subject, keywords and a summary are extracted from the answer; the
// limits that it relied on turn out to be last year's. Then the chemicals of her laboratory are moved: two chunks of
// a manual are retrieved for her question, the answer cites both, three personas discuss it, and the assistant's answer
// from their result is rated badly, since one of the chunks is from before the move.
// Prompts hold the texts of their sources as they stand, so that `whence replay` can ask again.

#include "tools/cli/verbs/demo_story.hpp"

namespace whence::tools {
namespace {

constexpr std::string_view batches[] = {
    R"({"records":[{"$type$":"ContextUnit","id":"cu_argo_appset_001","type":"User","source":"memory:project/ripple",
"timestamp":"2025-10-09T16:15:00Z","embedding_id":"vec_3928a","summary":"ArgoCD AppSets with SCM filtering","version":1,
"content":"The ApplicationSet of ripple takes each repository of the organisation that has the topic deploy, and makes )"
    R"(one application of it for each cluster in argocd/values.yaml."},
{"$type$":"ContextUnit","id":"cu_values_yaml_002","type":"User","source":"file:argocd/values.yaml",
"timestamp":"2025-10-09T16:15:00Z","embedding_id":"vec_4821b","summary":"Helm values configuration","version":1,
"content":"clusters: [staging, east, west]"},
{"$type$":"ContextUnit","id":"cu_docs_mcp_003","type":"External","source":"tool:docs_mcp",
"timestamp":"2025-10-09T16:15:00Z","summary":"ArgoCD documentation query","version":1,
"content":"A generator of an ApplicationSet takes every repository that its filter finds. A cluster that is taken out )"
    R"(of the list gets no more rollouts; what runs there stays until it is deleted."},
{"$type$":"Response","id":"resp_20251009_00123","timestamp":"2025-10-09T16:15:00Z","agent":"claude-sdk:lazy-broker",
"model":"claude-3.5-sonnet","token_count":1984,"usage":{"input_tokens":1931,"output_tokens":53},"latency_ms":2310,
"cost":0.0066,"person":"dana","conversation":"rollout","question":"How does a new service get to our clusters?",
"prompt":"The ApplicationSet of ripple takes each repository of the organisation that has the topic deploy, and makes )"
    R"(one application of it for each cluster in argocd/values.yaml.\nclusters: [staging, east, west]\nA generator of )"
    R"(an ApplicationSet takes every repository that its filter finds. A cluster that is taken out of the list gets no )"
    R"(more rollouts; what runs there stays until it is deleted.\n\nHow does a new service get to our clusters?",
"content":"Give its repository the topic deploy. The ApplicationSet then finds it, and rolls it out to the clusters in )"
    R"(argocd/values.yaml: staging, east and west.","context_units":[
{"context_unit_id":"cu_argo_appset_001","weight":0.42},{"context_unit_id":"cu_values_yaml_002","weight":0.31},
{"context_unit_id":"cu_docs_mcp_003","weight":0.27}]},
{"$type$":"LineageManifest","response_id":"resp_20251009_00123","timestamp":"2025-10-09T16:15:00Z",
"agent":"claude-sdk:lazy-broker","model":"claude-3.5-sonnet","token_count":1984,"context_tree":[
{"id":"cu_argo_appset_001","type":"User","source":"memory:project/ripple","weight":0.42,"embedding_id":"vec_3928a",
"summary":"ArgoCD AppSets with SCM filtering"},
{"id":"cu_values_yaml_002","type":"User","source":"file:argocd/values.yaml","weight":0.31,"embedding_id":"vec_4821b",
"summary":"Helm values configuration"},
{"id":"cu_docs_mcp_003","type":"External","source":"tool:docs_mcp","weight":0.27,"embedding_id":null,
"summary":"ArgoCD documentation query"}],"provenance_tree":{"root":"resp_20251009_00123","edges":[
{"from":"cu_argo_appset_001","to":"resp_20251009_00123","weight":0.42},
{"from":"cu_values_yaml_002","to":"resp_20251009_00123","weight":0.31},
{"from":"cu_docs_mcp_003","to":"resp_20251009_00123","weight":0.27}]}}]})",

    R"({"records":[{"$type$":"ContextUnit","id":"cu_rollout_goal_004","type":"ModelState","source":"prompt:rollout",
"timestamp":"2025-10-10T08:00:00Z","summary":"Roll out to one cluster at a time","version":1,
"content":"Roll out to one cluster at a time, and wait until it is healthy."},
{"$type$":"Response","id":"resp_20251010_00124","timestamp":"2025-10-10T08:01:00Z","agent":"claude-sdk:lazy-broker",
"model":"claude-3.5-sonnet","token_count":912,"usage":{"input_tokens":884,"output_tokens":28},"latency_ms":1840,
"cost":0.0031,"person":"dana","conversation":"rollout","question":"Which clusters does the rollout go to, and in which order?",
"prompt":"clusters: [staging, east, west]\nRoll out to one cluster at a time, and wait until it is healthy.\n\n)"
    R"(Which clusters does the rollout go to, and in which order?",
"content":"To staging first, then to east, then to west. Wait at each until it is healthy.","context_units":[
{"context_unit_id":"cu_values_yaml_002","weight":0.8},{"context_unit_id":"cu_rollout_goal_004","weight":0.2}]}]})",

    R"({"records":[{"$type$":"FeedbackRecord","id":"fb_20251010_00124","response_id":"resp_20251010_00124",
"timestamp":"2025-10-10T09:30:00Z","score":-0.9,"feedback_text":"Went to the retired cluster: the values are stale.",
"user_id":"dana"}]})",

    R"({"records":[{"$type$":"Response","id":"resp_20251010_00125","timestamp":"2025-10-10T10:00:00Z",
"agent":"claude-sdk:gardener","model":"claude-3.5-sonnet","token_count":640,
"usage":{"input_tokens":597,"output_tokens":43},"latency_ms":4120,"cost":0.0024,
"person":"dana","conversation":"rollout","question":"West was closed in September. What has to change?",
"prompt":"You keep the files of ripple up to date. Look things up with your tools before you change a file.\n)"
    R"(West was closed in September. What has to change?\n)"
    R"({\"type\":\"tool_call\",\"id\":\"call_1\",\"name\":\"read_file\",\"arguments\":{\"path\":\"argocd/values.yaml\"}}\n)"
    R"(clusters: [staging, east, west]\n)"
    R"({\"type\":\"tool_call\",\"id\":\"call_2\",\"name\":\"docs_mcp\",\"arguments\":{\"query\":\"remove a cluster\"}}\n)"
    R"(A generator of an ApplicationSet takes every repository that its filter finds. A cluster that is taken out of )"
    R"(the list gets no more rollouts; what runs there stays until it is deleted.","prompt_messages":[
{"role":"system","start":0,"end":97},{"role":"user","start":98,"end":147},{"role":"assistant","start":148,"end":243},
{"role":"tool","start":244,"end":275},{"role":"assistant","start":276,"end":369},{"role":"tool","start":370,"end":554}],
"content":"I took west out of the list in argocd/values.yaml; staging and east are left. What still runs in west has )"
    R"(to be deleted there.","context_units":[
{"context_unit_id":"cu_docs_mcp_003","weight":0.6},{"context_unit_id":"cu_values_yaml_002","weight":0.4}]},
{"$type$":"ContextUnit","id":"cu_values_yaml_005","type":"User","source":"file:argocd/values.yaml",
"timestamp":"2025-10-10T10:05:00Z","summary":"Helm values configuration, retired cluster removed","version":2,
"content":"clusters: [staging, east]",
"previous_version_id":"cu_values_yaml_002","updated_by_response_id":"resp_20251010_00125"}]})",

    R"({"records":[{"$type$":"Response","id":"resp_20251011_00126","timestamp":"2025-10-11T08:00:00Z",
"agent":"claude-sdk:lazy-broker","model":"claude-3.5-sonnet","token_count":877,
"usage":{"input_tokens":861,"output_tokens":16},"latency_ms":1760,"cost":0.0028,
"person":"dana","conversation":"rollout","question":"Which clusters does the rollout go to now?",
"prompt":"clusters: [staging, east]\nThe ApplicationSet of ripple takes each repository of the organisation that has )"
    R"(the topic deploy, and makes one application of it for each cluster in argocd/values.yaml.\n\n)"
    R"(Which clusters does the rollout go to now?","content":"To staging first, then to east.","context_units":[
{"context_unit_id":"cu_values_yaml_005","weight":0.65},{"context_unit_id":"cu_argo_appset_001","weight":0.35}]}]})",

    R"({"records":[{"$type$":"FeedbackRecord","id":"fb_20251011_00126","response_id":"resp_20251011_00126",
"timestamp":"2025-10-11T12:00:00Z","score":0.9,"feedback_text":"Clean rollout.","user_id":"dana"}]})",

    R"({"records":[{"$type$":"Topic","id":"family-planning-2025","name":"Family planning","createdAt":1760293800000},
{"$type$":"Message","id":"msg_1","topicId":"family-planning-2025","role":"user","createdAt":1760293800000},
{"$type$":"Message","id":"msg_2","topicId":"family-planning-2025","role":"assistant","createdAt":1760293820000},
{"$type$":"ContextUnit","id":"cu_family_006","type":"User","source":"memory:family","timestamp":"2025-10-12T18:00:00Z",
"summary":"Two children, 4 and 7 years old","content":"This person has two children, 4 and 7 years old.","version":1},
{"$type$":"ContextUnit","id":"cu_529_limits_007","type":"External","source":"tool:tax_guide",
"timestamp":"2025-10-12T18:30:10Z","summary":"Contribution limits of 529 plans, 2024",
"content":"In 2024, up to 18000 dollars for each child can be paid into a 529 plan without gift tax.","version":1},
{"$type$":"Response","id":"resp_20251012_00127","timestamp":"2025-10-12T18:30:20Z","agent":"claude-sdk:lazy-broker",
"model":"gpt-4-turbo","token_count":412,"usage":{"input_tokens":362,"output_tokens":50},"latency_ms":2650,"cost":0.0051,
"person":"dana","conversation":"family-planning-2025","question":"How much should we save for college?",
"prompt":"This person has two children, 4 and 7 years old.\nIn 2024, up to 18000 dollars for each child can be paid )"
    R"(into a 529 plan without gift tax.\n\nHow much should we save for college?",
"content":"For college savings, financial advisors often recommend 529 plans. They offer tax advantages and can be )"
    R"(used for qualified education expenses. The amount to save depends on factors like current age of children, )"
    R"(expected college costs, and your timeframe.",
"context_units":[{"context_unit_id":"cu_529_limits_007","weight":0.6},
{"context_unit_id":"cu_family_006","weight":0.4}]},
{"$type$":"XMLMessageAttachment","topicId":"family-planning-2025","messageId":"msg_1","format":"llm-query",
"createdAt":1760293800000,"responseId":"resp_20251012_00127","xml":"<llmQuery>\n)"
    R"(  <userMessage>How much should we save for college?</userMessage>\n)"
    R"(  <context topicId=\"family-planning-2025\" messageCount=\"12\">\n)"
    R"(    <activeSubjects>family planning, education costs</activeSubjects>\n)"
    R"(    <recentKeywords>children, university, tuition, savings</recentKeywords>\n)"
    R"(  </context>\n)"
    R"(</llmQuery>"},
{"$type$":"XMLMessageAttachment","topicId":"family-planning-2025","messageId":"msg_2","format":"llm-response",
"createdAt":1760293820000,"responseId":"resp_20251012_00127","xml":"<llmResponse>\n)"
    R"(  <response>For college savings, financial advisors often recommend 529 plans. They offer tax )"
    R"(advantages and can be used for qualified education expenses. The amount to save depends on factors )"
    R"(like current age of children, expected college costs, and your timeframe.</response>\n)"
    R"(  <analysis>\n)"
    R"(    <subject name=\"college-savings\" description=\"Discussion of saving strategies for children's )"
    R"(higher education\" isNew=\"true\">\n)"
    R"(      <keyword term=\"529-plan\" confidence=\"0.95\" />\n)"
    R"(      <keyword term=\"tax-advantages\" confidence=\"0.85\" />\n)"
    R"(      <keyword term=\"education-expenses\" confidence=\"0.90\" />\n)"
    R"(      <keyword term=\"financial-planning\" confidence=\"0.75\" />\n)"
    R"(    </subject>\n)"
    R"(    <summaryUpdate>User asked about college savings amounts. Assistant explained 529 plans and )"
    R"(mentioned that savings targets depend on children's ages and expected costs.</summaryUpdate>\n)"
    R"(  </analysis>\n)"
    R"(</llmResponse>"}]})",

    R"({"records":[{"$type$":"FeedbackRecord","id":"fb_20251013_00127","response_id":"resp_20251012_00127",
"timestamp":"2025-10-13T09:00:00Z","score":-0.9,"feedback_text":"The limits it relied on are last year's.","user_id":"dana"}]})",

    R"({"records":[{"$type$":"Document","document_name":"safety_manual.pdf","title":"Safety manual, 2019"},
{"$type$":"Query","request_id":"req_20251014_0a1b2c","question":"What must be worn when handling chemicals?",
"filters":{"source":"safety_manual.pdf","max_results":2},"timestamp":"2025-10-14T09:00:00Z"},
{"$type$":"RetrievedChunk","request_id":"req_20251014_0a1b2c","rank":1,"chunk_id":"chunk_safety_manual_p5_0",
"content":"All personnel must wear protective eyewear and gloves when handling Class A chemicals.","metadata":{
"document_name":"safety_manual.pdf","page_number":5,"section":"Chemical Handling Procedures","chunk_index":0},
"similarity_score":0.87},
{"$type$":"RetrievedChunk","request_id":"req_20251014_0a1b2c","rank":2,"chunk_id":"chunk_safety_manual_p9_3",
"content":"Respirators are kept in room 12.","metadata":{"document_name":"safety_manual.pdf","page_number":9,
"chunk_index":3},"similarity_score":0.61}]})",

    R"({"records":[{"$type$":"Discussion","userId":"safety","discussionId":"eyewear","topic":"Is eyewear enough?",
"createdAt":1760432700000},{"$type$":"DiscussionRound","userId":"safety","discussionId":"eyewear","roundNumber":1,
"timestamp":1760432700000,"analyzerResponse":{"content":"The manual asks for eyewear and gloves."},
"solverResponse":{"content":"Then both are handed out at the door."},
"moderatorResponse":{"content":"Agreed: eyewear and gloves, respirators on demand."}},
{"$type$":"ContextUnit","id":"cu_safety_manual_008","type":"External","source":"chunk:chunk_safety_manual_p9_3",
"timestamp":"2025-10-14T09:06:00Z","summary":"Where respirators are kept",
"content":"Respirators are kept in room 12.","version":1},
{"$type$":"Response","id":"resp_20251014_00128","timestamp":"2025-10-14T09:07:00Z","agent":"claude-sdk:lazy-broker",
"model":"gpt-4-turbo","usage":{"input_tokens":419,"output_tokens":24},"latency_ms":1930,"cost":0.0049,
"person":"dana","question":"Is eyewear enough, and where are the respirators?",
"prompt":"Agreed: eyewear and gloves, respirators on demand.\nRespirators are kept in room 12.\n\n)"
    R"(Is eyewear enough, and where are the respirators?",
"content":"No: eyewear and gloves are handed out at the door. Respirators are in room 12, for those who ask for one.",
"context_units":[{"context_unit_id":"cu_safety_manual_008","weight":1}],
"prompt_refs":["DiscussionRound:safety/eyewear/1"]}]})",

    R"({"records":[{"$type$":"FeedbackRecord","id":"fb_20251015_00128","response_id":"resp_20251014_00128",
"timestamp":"2025-10-15T08:00:00Z","score":-1,"feedback_text":"Room 12 is a canteen now.","user_id":"dana"}]})",
};

constexpr std::string_view answer_text =
    R"({"request_id":"req_20251014_0a1b2c","answer":"Eyewear and gloves [safety_manual.pdf, page 5]; )"
    R"(respirators are in room 12 [safety_manual.pdf, page 9].","processing_time_ms":3420})";

}  // namespace

std::span<std::string_view const> story_batches() noexcept {
  return batches;
}

std::string_view story_answer() noexcept {
  return answer_text;
}

}  // namespace whence::tools
