// The order of rows counts: of kinds the first row whose attribute a span has decides, of a meaning the first attribute
// that says something.

#include "net/capture/spans/mapping.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace whence::net::capture {

namespace {

constexpr std::string_view otel = "OpenTelemetry";
constexpr std::string_view older = "OpenTelemetry, older";
constexpr std::string_view openllmetry = "OpenLLMetry";
constexpr std::string_view openinference = "OpenInference";
constexpr std::string_view vercel = "Vercel AI SDK";
constexpr std::string_view langfuse = "Langfuse";
constexpr std::string_view mastra = "Mastra";
constexpr std::string_view spring = "Spring AI";
constexpr std::string_view langsmith = "LangSmith";
constexpr std::string_view adk = "Google ADK";
constexpr std::string_view google = "Google Gen AI";
constexpr std::string_view azure = "Azure AI";
constexpr std::string_view pydantic = "Pydantic AI";
constexpr std::string_view kernel = "Semantic Kernel";
constexpr std::string_view strands = "Strands";
constexpr std::string_view anthropic = "Anthropic";
constexpr std::string_view genkit = "Genkit";
constexpr std::string_view sentry = "Sentry";
constexpr std::string_view logfire = "Logfire";
constexpr std::string_view claude_code = "Claude Code";
constexpr std::string_view vllm = "vLLM";
constexpr std::string_view mlflow = "MLflow";
constexpr std::string_view braintrust = "Braintrust";
constexpr std::string_view agent365 = "Agent 365";
constexpr std::string_view langwatch = "LangWatch";
constexpr std::string_view laminar = "Laminar";
constexpr std::string_view voltagent = "VoltAgent";

constexpr KindRow kinds[] = {
    // These say `embeddings`, `chat` and `framework` as the operation.
    {"langsmith.span.kind", "retriever", Kind::retrieval, langsmith},
    {"langsmith.span.kind", "prompt", Kind::chain, langsmith},
    {"spring.ai.kind", "tool_call", Kind::tool, spring},
    {"spring.ai.kind", "chat_client", Kind::chain, spring},
    {"spring.ai.kind", "advisor", Kind::chain, spring},
    // These say `chat` of all steps together, `agent_step` of one, and nothing of the prompt of a call in it.
    {"mastra.span.type", "model_generation", Kind::call, mastra, false, true},
    {"mastra.span.type", "model_step", Kind::call, mastra},
    {"mastra.span.type", "model_inference", Kind::call, mastra, false, false, true},
    // All results of one turn together, beside the spans of the tools.
    {"gen_ai.tool.name", "(merged tools)", Kind::chain, adk},
    {"gen_ai.operation.name", "chat", Kind::call, otel},
    {"gen_ai.operation.name", "text_completion", Kind::call, otel},
    {"gen_ai.operation.name", "generate_content", Kind::call, otel},
    {"gen_ai.operation.name", "completion", Kind::call, older},
    {"gen_ai.operation.name", "chat.completions", Kind::call, kernel},
    {"gen_ai.operation.name", "chat.streaming_completions", Kind::call, kernel},
    {"gen_ai.operation.name", "text.completions", Kind::call, kernel},
    {"gen_ai.operation.name", "text.streaming_completions", Kind::call, kernel},
    {"gen_ai.operation.name", "TextCompletion", Kind::call, agent365},
    {"gen_ai.operation.name", "GenerateContent", Kind::call, agent365},
    {"gen_ai.operation.name", "output_messages", Kind::chain, agent365},
    {"gen_ai.operation.name", "retrieval", Kind::retrieval, otel},
    {"gen_ai.operation.name", "search_memory", Kind::retrieval, otel},
    {"gen_ai.operation.name", "memory.search", Kind::retrieval, strands},
    {"gen_ai.operation.name", "memory.add", Kind::chain, strands},
    {"gen_ai.operation.name", "memory.inject", Kind::chain, strands},
    {"gen_ai.operation.name", "memory.extract", Kind::chain, strands},
    {"gen_ai.operation.name", "execute_tool", Kind::tool, otel},
    {"gen_ai.operation.name", "embeddings", Kind::embedding, otel},
    {"gen_ai.operation.name", "invoke_agent", Kind::chain, otel, true},
    {"gen_ai.operation.name", "create_agent", Kind::chain, otel, true},
    {"gen_ai.operation.name", "invoke_workflow", Kind::chain, otel},
    {"gen_ai.operation.name", "plan", Kind::chain, otel},
    {"gen_ai.operation.name", "handle_conversation_turn", Kind::chain, otel},
    {"gen_ai.operation.name", "rerank", Kind::chain, vercel},
    {"gen_ai.operation.name", "agent_step", Kind::chain, mastra},
    {"gen_ai.operation.name", "workflow_step", Kind::chain, mastra},
    {"gen_ai.operation.name", "model_chunk", Kind::chain, mastra},
    {"gen_ai.operation.name", "mapping", Kind::chain, mastra},
    {"gen_ai.operation.name", "memory_operation", Kind::chain, mastra},
    {"gen_ai.operation.name", "processor_run", Kind::chain, mastra},
    {"gen_ai.operation.name", "workflow_parallel", Kind::chain, mastra},
    {"gen_ai.operation.name", "workflow_conditional", Kind::chain, mastra},
    {"gen_ai.operation.name", "workflow_conditional_eval", Kind::chain, mastra},
    {"gen_ai.operation.name", "workflow_loop", Kind::chain, mastra},
    {"gen_ai.operation.name", "workflow_sleep", Kind::chain, mastra},
    {"gen_ai.operation.name", "workflow_wait_event", Kind::chain, mastra},
    {"gen_ai.operation.name", "scorer_run", Kind::chain, mastra},
    {"gen_ai.operation.name", "scorer_step", Kind::chain, mastra},
    {"gen_ai.operation.name", "workspace_action", Kind::chain, mastra},
    {"gen_ai.operation.name", "tool.execute", Kind::tool, mastra},
    {"gen_ai.operation.name", "tool_selection", Kind::call, mastra},
    {"gen_ai.operation.name", "agent.run", Kind::chain, mastra, true},
    {"gen_ai.operation.name", "framework", Kind::chain, spring},
    {"gen_ai.operation.name", "chain", Kind::chain, langsmith},
    {"gen_ai.operation.name", "parser", Kind::chain, langsmith},
    {"gen_ai.operation.name", "", Kind::chain, otel},
    {"ai.operationId", "ai.generateText.doGenerate", Kind::call, vercel},
    {"ai.operationId", "ai.streamText.doStream", Kind::call, vercel},
    {"ai.operationId", "ai.generateObject.doGenerate", Kind::call, vercel},
    {"ai.operationId", "ai.streamObject.doStream", Kind::call, vercel},
    {"ai.operationId", "ai.toolCall", Kind::tool, vercel},
    {"ai.operationId", "ai.embed.doEmbed", Kind::embedding, vercel},
    {"ai.operationId", "ai.embedMany.doEmbed", Kind::embedding, vercel},
    {"ai.operationId", "ai.generateText", Kind::chain, vercel},
    {"ai.operationId", "ai.streamText", Kind::chain, vercel},
    {"ai.operationId", "ai.generateObject", Kind::chain, vercel},
    {"ai.operationId", "ai.streamObject", Kind::chain, vercel},
    {"ai.operationId", "ai.embed", Kind::chain, vercel},
    {"ai.operationId", "ai.embedMany", Kind::chain, vercel},
    {"ai.operationId", "ai.rerank", Kind::chain, vercel},
    {"ai.operationId", "ai.workflowAgent.stream", Kind::chain, vercel},
    {"ai.operationId", "", Kind::chain, vercel},
    {"mcp.method.name", "tools/call", Kind::tool, otel},
    {"mcp.method.name", "", Kind::chain, otel},
    {"openinference.span.kind", "LLM", Kind::call, openinference},
    {"openinference.span.kind", "RETRIEVER", Kind::retrieval, openinference},
    {"openinference.span.kind", "RERANKER", Kind::retrieval, openinference},
    {"openinference.span.kind", "TOOL", Kind::tool, openinference},
    {"openinference.span.kind", "EMBEDDING", Kind::embedding, openinference},
    {"openinference.span.kind", "AGENT", Kind::chain, openinference, true},
    {"openinference.span.kind", "CHAIN", Kind::chain, openinference},
    {"openinference.span.kind", "GUARDRAIL", Kind::chain, openinference},
    {"openinference.span.kind", "EVALUATOR", Kind::chain, openinference},
    {"openinference.span.kind", "PROMPT", Kind::chain, openinference},
    {"openinference.span.kind", "", Kind::chain, openinference},
    {"langfuse.observation.type", "generation", Kind::call, langfuse},
    {"langfuse.observation.type", "retriever", Kind::retrieval, langfuse},
    {"langfuse.observation.type", "tool", Kind::tool, langfuse},
    {"langfuse.observation.type", "embedding", Kind::embedding, langfuse},
    {"langfuse.observation.type", "agent", Kind::chain, langfuse, true},
    {"langfuse.observation.type", "span", Kind::chain, langfuse},
    {"langfuse.observation.type", "event", Kind::chain, langfuse},
    {"langfuse.observation.type", "chain", Kind::chain, langfuse},
    {"langfuse.observation.type", "guardrail", Kind::chain, langfuse},
    {"langfuse.observation.type", "evaluator", Kind::chain, langfuse},
    {"langfuse.observation.type", "", Kind::chain, langfuse},
    {"genkit:metadata:subtype", "model", Kind::call, genkit},
    {"genkit:metadata:subtype", "background-model", Kind::call, genkit},
    {"genkit:metadata:subtype", "tool", Kind::tool, genkit},
    {"genkit:metadata:subtype", "tool.v2", Kind::tool, genkit},
    {"genkit:metadata:subtype", "retriever", Kind::retrieval, genkit},
    {"genkit:metadata:subtype", "reranker", Kind::retrieval, genkit},
    {"genkit:metadata:subtype", "embedder", Kind::embedding, genkit},
    {"genkit:metadata:subtype", "agent", Kind::chain, genkit, true},
    {"genkit:metadata:subtype", "flow", Kind::chain, genkit},
    {"genkit:metadata:subtype", "util", Kind::chain, genkit},
    {"genkit:metadata:subtype", "prompt", Kind::chain, genkit},
    {"genkit:metadata:subtype", "executable-prompt", Kind::chain, genkit},
    {"genkit:metadata:subtype", "indexer", Kind::chain, genkit},
    {"genkit:metadata:subtype", "evaluator", Kind::chain, genkit},
    {"genkit:metadata:subtype", "custom", Kind::chain, genkit},
    {"genkit:metadata:subtype", "resource", Kind::chain, genkit},
    {"genkit:metadata:subtype", "dynamic-action-provider", Kind::chain, genkit},
    {"genkit:metadata:subtype", "agent-snapshot", Kind::chain, genkit},
    {"genkit:metadata:subtype", "agent-abort", Kind::chain, genkit},
    {"genkit:metadata:subtype", "check-operation", Kind::chain, genkit},
    {"genkit:metadata:subtype", "cancel-operation", Kind::chain, genkit},
    {"genkit:metadata:subtype", "", Kind::chain, genkit},
    {"genkit:type", "", Kind::chain, genkit},
    {"llm.request.type", "chat", Kind::call, openllmetry},
    {"llm.request.type", "completion", Kind::call, openllmetry},
    {"llm.request.type", "embedding", Kind::embedding, openllmetry},
    {"llm.request.type", "rerank", Kind::chain, openllmetry},
    {"traceloop.span.kind", "tool", Kind::tool, openllmetry},
    {"traceloop.span.kind", "workflow", Kind::chain, openllmetry},
    {"traceloop.span.kind", "task", Kind::chain, openllmetry},
    {"traceloop.span.kind", "agent", Kind::chain, openllmetry, true},
    {"traceloop.span.kind", "", Kind::chain, openllmetry},
    {"mlflow.spanType", "CHAT_MODEL", Kind::call, mlflow},
    {"mlflow.spanType", "LLM", Kind::call, mlflow},
    {"mlflow.spanType", "RETRIEVER", Kind::retrieval, mlflow},
    {"mlflow.spanType", "RERANKER", Kind::retrieval, mlflow},
    {"mlflow.spanType", "TOOL", Kind::tool, mlflow},
    {"mlflow.spanType", "EMBEDDING", Kind::embedding, mlflow},
    {"mlflow.spanType", "AGENT", Kind::chain, mlflow, true},
    {"mlflow.spanType", "CHAIN", Kind::chain, mlflow},
    {"mlflow.spanType", "WORKFLOW", Kind::chain, mlflow},
    {"mlflow.spanType", "TASK", Kind::chain, mlflow},
    {"mlflow.spanType", "PARSER", Kind::chain, mlflow},
    {"mlflow.spanType", "MEMORY", Kind::chain, mlflow},
    {"mlflow.spanType", "GUARDRAIL", Kind::chain, mlflow},
    {"mlflow.spanType", "EVALUATOR", Kind::chain, mlflow},
    {"mlflow.spanType", "UNKNOWN", Kind::chain, mlflow},
    {"braintrust.span_attributes", "llm", Kind::call, braintrust},
    {"braintrust.span_attributes", "tool", Kind::tool, braintrust},
    {"braintrust.span_attributes", "task", Kind::chain, braintrust},
    {"braintrust.span_attributes", "function", Kind::chain, braintrust},
    {"braintrust.span_attributes", "eval", Kind::chain, braintrust},
    {"braintrust.span_attributes", "score", Kind::chain, braintrust},
    {"langwatch.span.type", "llm", Kind::call, langwatch},
    {"langwatch.span.type", "tool", Kind::tool, langwatch},
    {"langwatch.span.type", "rag", Kind::retrieval, langwatch},
    {"langwatch.span.type", "agent", Kind::chain, langwatch, true},
    {"langwatch.span.type", "chain", Kind::chain, langwatch},
    {"langwatch.span.type", "span", Kind::chain, langwatch},
    {"langwatch.span.type", "workflow", Kind::chain, langwatch},
    {"langwatch.span.type", "component", Kind::chain, langwatch},
    {"langwatch.span.type", "module", Kind::chain, langwatch},
    {"langwatch.span.type", "server", Kind::chain, langwatch},
    {"langwatch.span.type", "client", Kind::chain, langwatch},
    {"langwatch.span.type", "producer", Kind::chain, langwatch},
    {"langwatch.span.type", "consumer", Kind::chain, langwatch},
    {"langwatch.span.type", "task", Kind::chain, langwatch},
    {"langwatch.span.type", "prompt", Kind::chain, langwatch},
    {"langwatch.span.type", "guardrail", Kind::chain, langwatch},
    {"langwatch.span.type", "evaluation", Kind::chain, langwatch},
    {"langwatch.span.type", "unknown", Kind::chain, langwatch},
    {"langwatch.span.type", "", Kind::chain, langwatch},
    {"lmnr.span.type", "LLM", Kind::call, laminar},
    {"lmnr.span.type", "CACHED", Kind::call, laminar},
    {"lmnr.span.type", "TOOL", Kind::tool, laminar},
    // Its agent has what was asked and answered; its span of a model has no answer, and is of all of the agent's steps.
    {"span.type", "tool", Kind::tool, voltagent},
    {"span.type", "retriever", Kind::retrieval, voltagent},
    {"span.type", "llm", Kind::chain, voltagent},
    {"span.type", "memory", Kind::chain, voltagent},
    {"span.type", "workflow-step", Kind::chain, voltagent},
    {"db.vector.query.content", "", Kind::retrieval, spring},
    {"gen_ai.tool.name", "", Kind::tool, otel},
    {"gen_ai.tool.call.id", "", Kind::tool, otel},
    {"gen_ai.request.model", "", Kind::call, older},
    {"gen_ai.response.model", "", Kind::call, vllm},
    {"llm.request.model", "", Kind::call, openllmetry},
    {"gen_ai.system", "", Kind::call, older},
    {"gen_ai.agent.name", "", Kind::chain, otel, true},
    {"agent_loop.cycle_id", "", Kind::chain, strands},
    {"llm.model_name", "", Kind::call, openinference},
    {"agent_name", "", Kind::chain, pydantic, true},
    {"retrieval.documents.0.document.content", "", Kind::retrieval, openinference},
    {"mlflow.spanType", "", Kind::chain, mlflow},
    {"braintrust.span_attributes", "", Kind::chain, braintrust},
    {"lmnr.span.path", "", Kind::chain, laminar},
    {"agent.state", "", Kind::call, voltagent, true},
};

constexpr MappingRow rows[] = {
    {Meaning::agent, "gen_ai.agent.name", false, otel},
    {Meaning::agent, "agent.name", false, openinference},
    {Meaning::agent, "ai.telemetry.functionId", false, vercel},
    {Meaning::agent, "langfuse.observation.metadata.lc_agent_name", false, langfuse},
    {Meaning::agent, "traceloop.association.properties.lc_agent_name", false, openllmetry},
    {Meaning::agent, "langsmith.metadata.lc_agent_name", false, langsmith},
    {Meaning::agent, "gen_ai.agent.id", false, otel},
    {Meaning::agent, "agent_name", false, pydantic},
    {Meaning::model, "gen_ai.response.model", false, otel},
    {Meaning::model, "gen_ai.request.model", false, otel},
    {Meaning::model, "llm.response.model", false, openllmetry},
    {Meaning::model, "llm.request.model", false, openllmetry},
    {Meaning::model, "llm.response.model_name", false, openinference},
    {Meaning::model, "llm.model_name", false, openinference},
    {Meaning::model, "llm.request.model_name", false, openinference},
    {Meaning::model, "embedding.model_name", false, openinference},
    {Meaning::model, "ai.response.model", false, vercel},
    {Meaning::model, "ai.model.id", false, vercel},
    {Meaning::model, "langfuse.observation.model.name", false, langfuse},
    {Meaning::model, "genkit:name", false, genkit},
    {Meaning::model, "ai.model.name", false, voltagent},
    {Meaning::input_tokens, "gen_ai.usage.input_tokens", false, otel},
    {Meaning::input_tokens, "gen_ai.usage.prompt_tokens", false, older},
    {Meaning::input_tokens, "llm.usage.prompt_tokens", false, openllmetry},
    {Meaning::input_tokens, "llm.token_count.prompt", false, openinference},
    {Meaning::input_tokens, "ai.usage.inputTokens", false, vercel},
    {Meaning::input_tokens, "ai.usage.promptTokens", false, vercel},
    {Meaning::input_tokens, "input_tokens", false, claude_code},
    {Meaning::input_tokens, "usage.prompt_tokens", false, voltagent},
    {Meaning::output_tokens, "gen_ai.usage.output_tokens", false, otel},
    {Meaning::output_tokens, "gen_ai.usage.completion_tokens", false, older},
    {Meaning::output_tokens, "llm.usage.completion_tokens", false, openllmetry},
    {Meaning::output_tokens, "llm.token_count.completion", false, openinference},
    {Meaning::output_tokens, "ai.usage.outputTokens", false, vercel},
    {Meaning::output_tokens, "ai.usage.completionTokens", false, vercel},
    {Meaning::output_tokens, "output_tokens", false, claude_code},
    {Meaning::output_tokens, "usage.completion_tokens", false, voltagent},
    {Meaning::cost, "llm.cost.total", false, openinference},
    {Meaning::cost, "gen_ai.usage.cost", false, openllmetry},
    {Meaning::usage_details, "langfuse.observation.usage_details", false, langfuse},
    {Meaning::usage_details, "genkit:output", false, genkit},
    {Meaning::usage_details, "braintrust.metrics", false, braintrust},
    {Meaning::usage_details, "langwatch.metrics", false, langwatch},
    {Meaning::cost_details, "langfuse.observation.cost_details", false, langfuse},
    {Meaning::instructions, "gen_ai.system_instructions", false, otel},
    {Meaning::instructions, "langfuse.observation.metadata.instructions", false, langfuse},
    {Meaning::input_messages, "gen_ai.input.messages", false, otel},
    {Meaning::input_messages, "gen_ai.prompt", true, openllmetry},
    {Meaning::input_messages, "llm.prompts", true, openllmetry},
    {Meaning::input_messages, "llm.input_messages", true, openinference},
    {Meaning::input_messages, "llm.prompts", false, openinference},
    {Meaning::input_messages, "ai.prompt.messages", false, vercel},
    {Meaning::input_messages, "mastra.model_step.input", false, mastra},
    {Meaning::input_messages, "gen_ai.request.messages", false, sentry},
    {Meaning::input_messages, "agent.messages", false, voltagent},
    {Meaning::prompt, "gen_ai.prompt", false, older},
    {Meaning::prompt, "ai.prompt", false, vercel},
    {Meaning::prompt, "input.value", false, openinference},
    {Meaning::prompt, "langfuse.observation.input", false, langfuse},
    {Meaning::prompt, "mastra.model_generation.input", false, mastra},
    {Meaning::prompt, "genkit:input", false, genkit},
    {Meaning::prompt, "traceloop.entity.input", false, openllmetry},
    {Meaning::prompt, "gcp.vertex.agent.llm_request", false, adk},
    {Meaning::prompt, "gen_ai.event.content", false, azure},
    {Meaning::prompt, "request_data", false, logfire},
    {Meaning::prompt, "mlflow.spanInputs", false, mlflow},
    {Meaning::prompt, "braintrust.input_json", false, braintrust},
    {Meaning::prompt, "langwatch.input", false, langwatch},
    {Meaning::prompt, "lmnr.span.input", false, laminar},
    {Meaning::prompt, "input", false, voltagent},
    {Meaning::output_messages, "gen_ai.output.messages", false, otel},
    {Meaning::output_messages, "gen_ai.completion", true, openllmetry},
    {Meaning::output_messages, "llm.completions", true, openllmetry},
    {Meaning::output_messages, "llm.output_messages", true, openinference},
    {Meaning::output_messages, "llm.choices", true, openinference},
    {Meaning::answer, "ai.response.text", false, vercel},
    {Meaning::answer, "ai.response.object", false, vercel},
    {Meaning::answer, "ai.result.text", false, vercel},
    {Meaning::answer, "ai.result.object", false, vercel},
    {Meaning::answer_calls, "ai.response.toolCalls", false, vercel},
    {Meaning::answer_calls, "ai.result.toolCalls", false, vercel},
    {Meaning::answer_calls, "gen_ai.response.tool_calls", false, sentry},
    {Meaning::answer_files, "ai.response.files", false, vercel},
    {Meaning::reasoning, "ai.response.reasoning", false, vercel},
    {Meaning::answer, "gen_ai.completion", false, older},
    {Meaning::answer, "output.value", false, openinference},
    {Meaning::answer, "langfuse.observation.output", false, langfuse},
    {Meaning::answer, "mastra.model_step.output", false, mastra},
    {Meaning::answer, "mastra.model_inference.output", false, mastra},
    {Meaning::answer, "mastra.model_generation.output", false, mastra},
    {Meaning::answer, "genkit:output", false, genkit},
    {Meaning::answer, "gcp.vertex.agent.llm_response", false, adk},
    {Meaning::answer, "gen_ai.event.content", false, azure},
    {Meaning::answer, "gen_ai.response.text", false, sentry},
    {Meaning::answer, "response_data", false, logfire},
    {Meaning::answer, "mlflow.spanOutputs", false, mlflow},
    {Meaning::answer, "braintrust.output_json", false, braintrust},
    {Meaning::answer, "langwatch.output", false, langwatch},
    {Meaning::answer, "lmnr.span.output", false, laminar},
    {Meaning::answer, "output", false, voltagent},
    {Meaning::question, "gen_ai.retrieval.query.text", false, otel},
    {Meaning::question, "db.vector.query.content", false, spring},
    {Meaning::question, "reranker.query", false, openinference},
    {Meaning::question, "gen_ai.memory.query.text", false, otel},
    {Meaning::question, "input.value", false, openinference},
    {Meaning::question, "langfuse.observation.input", false, langfuse},
    {Meaning::question, "genkit:input", false, genkit},
    {Meaning::question, "gen_ai.prompt", false, langsmith},
    {Meaning::question, "mlflow.spanInputs", false, mlflow},
    {Meaning::question, "langwatch.input", false, langwatch},
    {Meaning::question, "input", false, voltagent},
    {Meaning::documents, "gen_ai.retrieval.documents", false, otel},
    {Meaning::documents, "gen_ai.memory.records", false, otel},
    {Meaning::documents, "db.vector.query.response.documents", false, spring},
    {Meaning::documents, "langwatch.contexts", false, langwatch},
    {Meaning::documents, "retrieval.documents", true, openinference},
    {Meaning::documents, "reranker.output_documents", true, openinference},
    {Meaning::embedded, "ai.values", false, vercel},
    {Meaning::embeddings, "embedding.embeddings", true, openinference},
    {Meaning::embeddings, "ai.embeddings", false, vercel},
    {Meaning::tool_name, "gen_ai.tool.name", false, otel},
    {Meaning::tool_name, "tool.name", false, openinference},
    {Meaning::tool_name, "tool_call.function.name", false, openinference},
    {Meaning::tool_name, "ai.toolCall.name", false, vercel},
    {Meaning::tool_name, "spring.ai.tool.definition.name", false, spring},
    {Meaning::tool_name, "genkit:name", false, genkit},
    {Meaning::tool_name, "tool_name", false, claude_code},
    {Meaning::tool_arguments, "gen_ai.tool.call.arguments", false, otel},
    {Meaning::tool_arguments, "ai.toolCall.args", false, vercel},
    {Meaning::tool_arguments, "tool_call.function.arguments", false, openinference},
    {Meaning::tool_arguments, "gen_ai.tool.input", false, mastra},
    {Meaning::tool_arguments, "input.value", false, openinference},
    {Meaning::tool_arguments, "langfuse.observation.input", false, langfuse},
    {Meaning::tool_arguments, "genkit:input", false, genkit},
    {Meaning::tool_arguments, "traceloop.entity.input", false, openllmetry},
    {Meaning::tool_arguments, "gcp.vertex.agent.tool_call_args", false, adk},
    {Meaning::tool_arguments, "spring.ai.tool.call.arguments", false, spring},
    {Meaning::tool_arguments, "tool_arguments", false, pydantic},
    {Meaning::tool_arguments, "gen_ai.prompt", false, langsmith},
    {Meaning::tool_arguments, "mlflow.spanInputs", false, mlflow},
    {Meaning::tool_arguments, "braintrust.input_json", false, braintrust},
    {Meaning::tool_arguments, "langwatch.input", false, langwatch},
    {Meaning::tool_arguments, "lmnr.span.input", false, laminar},
    {Meaning::tool_arguments, "input", false, voltagent},
    {Meaning::tool_result, "gen_ai.tool.call.result", false, otel},
    {Meaning::tool_result, "ai.toolCall.result", false, vercel},
    {Meaning::tool_result, "gen_ai.tool.output", false, mastra},
    {Meaning::tool_result, "output.value", false, openinference},
    {Meaning::tool_result, "langfuse.observation.output", false, langfuse},
    {Meaning::tool_result, "genkit:output", false, genkit},
    {Meaning::tool_result, "traceloop.entity.output", false, openllmetry},
    {Meaning::tool_result, "gcp.vertex.agent.tool_response", false, adk},
    {Meaning::tool_result, "spring.ai.tool.call.result", false, spring},
    {Meaning::tool_result, "tool_response", false, pydantic},
    {Meaning::tool_result, "code.function.return.value", false, google},
    {Meaning::tool_result, "anthropic.tool_result.content", false, anthropic},
    {Meaning::tool_result, "gen_ai.completion", false, langsmith},
    {Meaning::tool_result, "mlflow.spanOutputs", false, mlflow},
    {Meaning::tool_result, "braintrust.output_json", false, braintrust},
    {Meaning::tool_result, "langwatch.output", false, langwatch},
    {Meaning::tool_result, "lmnr.span.output", false, laminar},
    {Meaning::tool_result, "output", false, voltagent},
    {Meaning::evaluation_name, "gen_ai.evaluation.name", false, otel},
    {Meaning::evaluation_score, "gen_ai.evaluation.score.value", false, otel},
    {Meaning::evaluation_label, "gen_ai.evaluation.score.label", false, otel},
    {Meaning::evaluation_text, "gen_ai.evaluation.explanation", false, otel},
    {Meaning::response_id, "gen_ai.response.id", false, otel},
    {Meaning::response_id, "ai.response.id", false, vercel},
    {Meaning::tool_call_id, "gen_ai.tool.call.id", false, otel},
    {Meaning::tool_call_id, "ai.toolCall.id", false, vercel},
    {Meaning::tool_call_id, "tool_call.id", false, openinference},
    {Meaning::tool_call_id, "tool.call.id", false, voltagent},
    {Meaning::tool_call_id, "tool.id", false, openinference},
    {Meaning::entity, "traceloop.entity.name", false, openllmetry},
    {Meaning::entity, "graph.node.name", false, openinference},
    {Meaning::entity, "graph.node.id", false, openinference},
    {Meaning::entity, "entity.name", false, voltagent},
    {Meaning::conversation, "gen_ai.conversation.id", false, otel},
    {Meaning::conversation, "session.id", false, openinference},
    {Meaning::conversation, "langfuse.session.id", false, langfuse},
    {Meaning::conversation, "traceloop.association.properties.session_id", false, openllmetry},
    {Meaning::conversation, "ai.telemetry.metadata.sessionId", false, vercel},
    {Meaning::conversation, "ai.settings.context.sessionId", false, vercel},
    {Meaning::conversation, "mastra.metadata.sessionId", false, mastra},
    {Meaning::conversation, "mastra.metadata.threadId", false, mastra},
    {Meaning::conversation, "langsmith.metadata.session_id", false, langsmith},
    {Meaning::conversation, "langsmith.metadata.thread_id", false, langsmith},
    {Meaning::conversation, "langsmith.metadata.conversation_id", false, langsmith},
    {Meaning::conversation, "genkit:metadata:agent:sessionId", false, genkit},
    {Meaning::conversation, "langwatch.thread.id", false, langwatch},
    {Meaning::conversation, "lmnr.association.properties.session_id", false, laminar},
    {Meaning::conversation, "conversation.id", false, voltagent},
    {Meaning::conversation, "spring.ai.chat.client.conversation.id", false, spring},
    {Meaning::person, "user.id", false, openinference},
    {Meaning::person, "enduser.id", false, older},
    {Meaning::person, "langfuse.user.id", false, langfuse},
    {Meaning::person, "traceloop.association.properties.user_id", false, openllmetry},
    {Meaning::person, "ai.telemetry.metadata.userId", false, vercel},
    {Meaning::person, "ai.settings.context.userId", false, vercel},
    {Meaning::person, "mastra.metadata.userId", false, mastra},
    {Meaning::person, "mastra.metadata.resourceId", false, mastra},
    {Meaning::person, "langwatch.user.id", false, langwatch},
    {Meaning::person, "lmnr.association.properties.user_id", false, laminar},
    {Meaning::person, "langsmith.metadata.user_id", false, langsmith},
    {Meaning::evaluations, "evaluations", true, openinference},
    {Meaning::evaluations, "annotations", true, openinference},
    {Meaning::evaluations, "trace.evaluations", true, openinference},
    {Meaning::evaluations, "trace.annotations", true, openinference},
    {Meaning::parameters, "llm.invocation_parameters", false, openinference},
    {Meaning::parameters, "langfuse.observation.model.parameters", false, langfuse},
    {Meaning::parameters, "braintrust.metadata", false, braintrust},
    {Meaning::metadata, "metadata", false, openinference},
};

constexpr EventRow events[] = {
    {"gen_ai.content.prompt", "user", false},
    {"gen_ai.content.completion", "assistant", true},
    {"gen_ai.system.message", "system", false},
    {"gen_ai.user.message", "user", false},
    {"gen_ai.assistant.message", "assistant", false},
    {"gen_ai.tool.message", "tool", false},
    {"gen_ai.choice", "assistant", true},
};

constexpr std::array<std::string_view, 5> kind_names = {"call", "retrieval", "tool", "embedding", "chain"};

}  // namespace

std::string_view name_of(Kind kind) noexcept {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::optional<Kind> find_kind(std::string_view name) noexcept {
  auto const found = std::ranges::find(kind_names, name);
  if (found == kind_names.end()) return std::nullopt;
  return static_cast<Kind>(found - kind_names.begin());
}

std::string_view name_of(Meaning meaning) noexcept {
  constexpr std::array<std::string_view, 34> names = {
      "agent",           "model",        "input_tokens",    "output_tokens",    "cost",
      "usage_details",   "cost_details", "instructions",    "input_messages",   "prompt",
      "output_messages", "answer",       "answer_calls",    "answer_files",     "reasoning",
      "question",        "documents",    "embedded",        "embeddings",       "tool_name",
      "tool_arguments",  "tool_result",  "tool_call_id",    "entity",           "conversation",
      "person",          "evaluations",  "evaluation_name", "evaluation_score", "evaluation_label",
      "evaluation_text", "response_id",  "parameters",      "metadata"};
  return names[static_cast<std::size_t>(meaning)];
}

bool is_of_conventions(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 15> beginnings = {
      "gen_ai.",     "llm.",         "ai.",    "openinference.", "traceloop.", "langfuse.",  "genkit:", "mlflow.",
      "braintrust.", "claude_code.", "codex.", "gemini_cli.",    "qwen-code.", "langwatch.", "lmnr."};
  return std::ranges::any_of(beginnings, [&](std::string_view each) { return name.starts_with(each); });
}

bool holds_any_value(MappingRow const& row) noexcept {
  return !row.is_family &&
         (row.convention == openinference || row.convention == langfuse || row.convention == openllmetry ||
          row.convention == adk || row.convention == mastra || row.convention == genkit || row.convention == logfire ||
          row.convention == mlflow || row.convention == braintrust || row.convention == langwatch ||
          row.convention == laminar || row.convention == voltagent);
}

bool is_plain_text(MappingRow const& row) noexcept {
  return row.meaning == Meaning::answer && row.convention == vercel;
}

bool may_hold_texts(MappingRow const& row) noexcept {
  return row.meaning == Meaning::answer && row.convention == sentry;
}

bool holds_messages_alone(MappingRow const& row) noexcept {
  bool const is_free = row.meaning == Meaning::prompt || row.meaning == Meaning::answer;
  return !is_free || row.convention == azure;
}

bool is_placeholder(MappingRow const& row, boost::json::value const& held) noexcept {
  auto const* const text = held.if_string();
  if (text == nullptr) return false;
  if (row.convention == adk && *text == "{}") return true;
  bool const is_list = row.meaning == Meaning::instructions || row.meaning == Meaning::input_messages ||
                       row.meaning == Meaning::output_messages || row.meaning == Meaning::prompt;
  if (*text == "[]") return is_list;  // as an answer it may be a text
  bool const is_any = (row.meaning == Meaning::answer || row.meaning == Meaning::question) && holds_any_value(row);
  return *text == "null" && (is_list || is_any);
}

std::span<MappingRow const> mapping_rows() noexcept {
  return rows;
}

std::span<KindRow const> kind_rows() noexcept {
  return kinds;
}

bool is_passage_event(std::string_view name) noexcept {
  return name == "db.query.result" || name == "db.search.result";
}

bool is_details_event(std::string_view name) noexcept {
  return name.starts_with("gen_ai.client.") && name.ends_with(".operation.details");
}

bool is_read_event(std::string_view name) noexcept {
  return is_known_event(name) || name.starts_with("gen_ai.");
}

bool is_known_event(std::string_view name) noexcept {
  return is_details_event(name) || name == evaluation_event || name == exception_event || is_passage_event(name) ||
         name == memory_query_event || name == memory_results_event || name == tool_output_event ||
         std::ranges::find(events, name, &EventRow::name) != std::end(events);
}

std::span<EventRow const> event_rows() noexcept {
  return events;
}

}  // namespace whence::net::capture
