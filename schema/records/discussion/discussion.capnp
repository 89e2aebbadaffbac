# The content of discussion records as the store keeps it. What holds for every struct is in schema/stored/records.capnp.
# Members that make up the id are not here, the graph row has it: user, discussion and round number.
@0xb13b2aeda05f1119;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("whence::schema::stored::wire");

struct Discussion {
  topic @0 :Text;
  # Its topic, any length; null where none was given.
  createdAtMs @1 :Int64;
  # Milliseconds since 1970-01-01T00:00:00Z; meaningless unless hasCreatedAt.
  hasCreatedAt @2 :Bool;
  # Whether createdAtMs is known. Default no.
  updatedAtMs @3 :Int64;
  # Milliseconds since 1970-01-01T00:00:00Z, as a client said; meaningless unless hasUpdatedAt. A reader must not assume
  # that no round is younger.
  hasUpdatedAt @4 :Bool;
  # Whether updatedAtMs is known. Default no.
  isResolved @5 :Bool;
  # Whether it is settled; meaningless unless hasIsResolved.
  hasIsResolved @6 :Bool;
  # Whether isResolved was given. Default no.
  needsUserInput @7 :Bool;
  # Whether it waits for its user; meaningless unless hasNeedsUserInput.
  hasNeedsUserInput @8 :Bool;
  # Whether needsUserInput was given. Default no.
  attributes @9 :Text;
  openRound @10 :Int64;
  # The round that was opened last before it had a response, from 1; 0 for none. Stale where a round of this number or
  # above exists.
  openQuestions @11 :Text;
  # The questions that openRound was opened with: as DiscussionRound.questions; null where there were none. Stale as that.
  sortedOpenQuestions @12 :Text;
  # As DiscussionRound.sortedQuestions.
}

struct DiscussionRound {
  # As a later revision it holds only the responses that were added, or the questions and answers that were given.
  timestampMs @0 :Int64;
  # When it began: milliseconds since 1970-01-01T00:00:00Z.
  analyzer @1 :Response;
  # The first response. Null in an addition.
  solver @2 :Response;
  # The second; null where the round has not come so far.
  moderator @3 :Response;
  # The third; null where the round has not come so far.
  questions @4 :Text;
  # Questions to the user: a JSON object as compact text, members in the client's order. A reader must not assume that it
  # knows any member.
  sortedQuestions @5 :Text;
  # The same with sorted keys; null where that is the same text.
  userAnswers @6 :List(Text);
  # The answers of the user, in order; null where nothing was given.
  attributes @7 :Text;

  struct Response {
    content @0 :Text;
    # The message, any length. Persona and turn follow from its place and the round's number.
    timestampMs @1 :Int64;
    # Milliseconds since 1970-01-01T00:00:00Z; meaningless unless hasTimestamp.
    hasTimestamp @2 :Bool;
    # Whether timestampMs was given. Default no.
  }
}

struct SummaryEntry {
  summary @0 :Text;
  # The text in the place of the rounds.
  replacesRounds @1 :List(Int64);
  # Numbers of rounds, ascending; the last is its own. A reader must not assume that they are still there.
  tokenCountBefore @2 :Int64;
  # About how many tokens the context had without it; meaningless unless hasTokenCountBefore.
  hasTokenCountBefore @3 :Bool;
  # Whether tokenCountBefore is known. Default no.
  tokenCountAfter @4 :Int64;
  # About how many tokens the context has with it; meaningless unless hasTokenCountAfter.
  hasTokenCountAfter @5 :Bool;
  # Whether tokenCountAfter is known. Default no.
  createdAtMs @6 :Int64;
  # Milliseconds since 1970-01-01T00:00:00Z; meaningless unless hasCreatedAt.
  hasCreatedAt @7 :Bool;
  # Whether createdAtMs is known. Default no.
  attributes @8 :Text;
}
