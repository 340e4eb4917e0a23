; The entities that stand before globals and functions.
source_filename = "dir/\22quoted\22 \C3\A9.c"
target datalayout = "e-m:e-p270:32:32-i64:64-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

module asm ".globl foo"
module asm "foo: ret \22x\22"

%Opaque = type opaque
%Named = type { i32, [4 x <2 x float>], ptr addrspace(1) }
%Packed = type <{ i8, i64 }>
%"with space" = type { %Named, { i1, {} } }
%0 = type { i32 }
%1 = type { %0, ptr }
%Recursive = type { i32, %Other }
%Other = type { [2 x %Named] }

$any = comdat any
$"exact match" = comdat exactmatch
$largest = comdat largest
$none = comdat nodeduplicate
$same = comdat samesize

@in.comdat = global i32 0, comdat($any)
@largest = global i32 0, comdat

@many = global i32 7
@one = global ptr @many
@two = global ptr @many

uselistorder ptr @many, { 1, 0 }
