# A group of transactions as the nodes of a replicated log hand it to each other: what the group puts into the store's
# tables, in the store's own bytes. Canonical form, a single segment without a header. Field numbers are never reused.
@0xd0c6bb3a7f5e9c41;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("whence::schema::stored::wire");

struct SharedGroup {
  epoch @0 : Data;
  # Which log this is: 16 bytes, those of the store's head. A node of another epoch must refuse the group.
  base @1 : UInt64;
  # The head before the group: its first transaction is base + 1. A group whose base is not the head is void.
  previous @2 : Data;
  # Leaf hash of the entry `base`, 32 bytes, all zero where base is 0.
  transactions @3 : List(Transaction);
  # In order. None: the group founds a log, or keeps answers of batches that changed nothing.
  contents @4 : List(Content);
  # First contents of new vertices, in the order of their rows in the blocks.
  revised @5 : List(Content);
  # Contents of revisions, in the order of their rows in the blocks.
  gone @6 : List(UInt64);
  # Keys of contents that expire or are purged.
  removedBlobs @7 : List(Data);
  # SHA-256 of blobs that go, 32 bytes each.
  blobs @8 : List(Data);
  # Blobs that the sender's store did not have, their bytes. A reader must not assume that it lacks them, too.
  answers @9 : List(Answer);
  # Answers kept under idempotency keys. A reader may know some of them already.

  struct Transaction {
    entry @0 : Data;
    # The words of its LogEntry.
    block @1 : Data;
    # Its block of the graph table.
  }

  struct Content {
    key @0 : UInt64;
    # Of the records table.
    words @1 : Data;
    # The content's words, as they are before packing.
  }

  struct Answer {
    key @0 : Data;
    # SHA-256 of the idempotency key, 32 bytes.
    value @1 : Data;
    # A digest over key and answer, then the words of a KeptAnswer.
  }
}
