// Regulation (EU) 2024/1689 (AI Act), ISO/IEC 42001:2023 annex A, and 21 CFR part 11.

#include "tools/cli/evidence/demands.hpp"

#include <array>

namespace whence::tools {
namespace {

constexpr std::array table = {
    Demand{"AI Act", "12(1)", "Events are recorded automatically over the lifetime of the system.",
           "events.jsonl: every change of the graph in the period, with transaction and time; report.json: counts, "
           "gaps; the "
           "proof: that the log has these events.",
           "Whether everything that happened was sent to Whence. What an application does not record is not here."},
    Demand{"AI Act", "12(2)(a)", "Events that help to find situations of risk, and substantial modifications.",
           "report.json: ratings below 0, deprecated sources, new versions of units and templates, decisions.",
           "Which of these is a risk in the sense of article 79, or a substantial modification: that is a judgement."},
    Demand{"AI Act", "12(2)(b)", "Events that help the provider's monitoring after the system is on the market.",
           "events.jsonl: answers with agent, model, sources and ratings; report.json: counts by agent and type.",
           "The plan of that monitoring (article 72)."},
    Demand{"AI Act", "12(2)(c)", "Events that help the deployer to monitor operation (article 26(5)).",
           "report.json: ratings, decisions, gaps; a case of an answer (whence export --format html).",
           "What was done upon them, where nobody recorded it as a decision."},
    Demand{
        "AI Act", "12(3)(a)-(d)",
        "Of remote biometric identification: period of each use, reference database, input with a match, who verified.",
        "events.jsonl: times of answers, their sources, decisions with `by`.",
        "Begin and end of a use, and the database, unless they were recorded as records of their own."},
    Demand{"AI Act", "13(1)", "Deployers can interpret the output and use it appropriately.",
           "A case of an answer: sources by share, citations, what changed since.",
           "The instructions for use. Shares are computed from recorded weights; they do not explain the inside of a "
           "model."},
    Demand{"AI Act", "13(3)(b)(iv), (vii)", "Instructions name what is there to explain and interpret output.",
           "A case shows for each answer what it was made from.", "The instructions themselves."},
    Demand{"AI Act", "13(3)(f)", "Instructions describe how logs are collected, stored and interpreted.",
           "tools/cli/README.md of Whence describes the files of this folder and their members.",
           "How the deployer's own systems collect."},
    Demand{"AI Act", "14(4)(a), (c)", "Overseers can monitor operation, and interpret output correctly.",
           "Cases, ratings and decisions in report.json.", "Whether the persons are competent and did it."},
    Demand{"AI Act", "14(4)(b)", "Overseers remain aware of the tendency to rely on output.", "",
           "Nothing here measures it; report.json only says how many answers had a decision or a rating."},
    Demand{"AI Act", "14(4)(d), (e)", "Overseers can disregard, override or reverse output, and stop the system.",
           "report.json: decisions with verdict approve, override, reject or stop, by whom, when and why.",
           "That a stop took effect. Whence records decisions, it does not control the system."},
    Demand{"AI Act", "14(5)", "Of biometric identification: two persons verify.",
           "report.json: decisions on one subject by several persons, where they were recorded.",
           "That these are two persons: `by` is what the client said."},
    Demand{"AI Act", "19(1)", "Providers keep the logs, at least six months.",
           "report.json: first and last transaction of the period, deletions, expiries and purges in the period with "
           "their reasons.",
           "Whether a retention rule or law asks for another time; what was purged is gone, and said to be."},
    Demand{"AI Act", "26(1), (2)", "Deployers use the system as instructed, and assign oversight to persons.",
           "report.json: who wrote, decisions `by` whom.", "Assignments and training."},
    Demand{"AI Act", "26(4)", "Input data are relevant and sufficiently representative.",
           "events.jsonl: sources of each answer; report.json: deprecated sources.",
           "Relevance and representativeness."},
    Demand{"AI Act", "26(5)", "Deployers monitor, inform the provider, suspend upon a risk, report incidents.",
           "report.json: ratings and decisions, `stop` among them.", "The reports to provider and authority."},
    Demand{"AI Act", "26(6)", "Deployers keep the logs under their control, at least six months.", "As 19(1).",
           "As 19(1)."},
    Demand{"AI Act", "26(7), (11)", "Workers and persons affected are informed.", "",
           "Nothing of it is recorded here."},
    Demand{"ISO/IEC 42001", "A.6.2.8",
           "It is determined when event logs are kept, at least while the system is in use.",
           "events.jsonl and report.json: what was logged in the period, and the longest times without an event.",
           "The determination itself, and whether the system was in use at those times."},
    Demand{
        "21 CFR", "11.10(e), first sentence",
        "Secure, computer-generated, time-stamped audit trails record date and time of entries that create, modify or "
        "delete records.",
        "events.jsonl: put, version, delete, expire with the server's time; report.json: who wrote, and why something "
        "was removed.",
        "The identity behind a token. Times are the server's clock, which the log keeps from running backwards. Who "
        "read "
        "is known where the server wrote it down (serve --audit-reads)."},
    Demand{"21 CFR", "11.10(e), second sentence", "Changes do not obscure what was recorded before.",
           "Versions and deletions are events of their own; every earlier moment can be read. The proof: the log only "
           "grew in the period, and has these events as they are.",
           "Contents that expired or were purged: their events stay, their texts are gone."},
    Demand{"21 CFR", "11.10(e), third sentence",
           "The audit trail is retained as long as its records, and is available for review and copying.",
           "This folder is such a copy; events.jsonl is plain text.", "For how long the store is kept."},
};

}  // namespace

std::span<Demand const> demands() noexcept {
  return table;
}

}  // namespace whence::tools
