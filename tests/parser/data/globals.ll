; Global variables, aliases and ifuncs with everything that may stand around them.
$g = comdat any
@private = private unnamed_addr constant [6 x i8] c"a\22\5C\00\FFz", align 1
@internal = internal global i32 -7, section "__DATA,\22x\22", align 4
@weak = weak dso_local local_unnamed_addr global ptr null
@weak_odr = weak_odr hidden global i64 9
@linkonce = linkonce protected global i1 true
@linkonce_odr = linkonce_odr global i1 false
@common = common global i32 0, align 4
@appending = appending global [1 x ptr] [ptr @internal]
@extern_weak = extern_weak global i32
@external = external dso_local global ptr
@g = available_externally thread_local(initialexec) global i32 0
@tls = thread_local global i32 0
@dynamic = external thread_local(localdynamic) global i32
@exec = external thread_local(localexec) global i32
@dll = dllexport global i32 1
@imported = external dllimport global i32
@space = addrspace(3) externally_initialized global [64 x i32] undef, align 4
@comdat = global i32 0, comdat($g)
@part = global i32 0, partition "part", code_model "large"
@sanitized = global i32 0, no_sanitize_address, no_sanitize_hwaddress, sanitize_memtag
@attributed = global i32 0, align 8, !associated !0 #0
@"quoted name" = global i32 0
@"\01_mangled" = global i32 0
@"a\22b\\c" = global i32 0
@0 = global i32 10
@1 = global ptr @0
@preempt = dso_preemptable global i32 3
@default = default global i32 4

@alias = alias i32, ptr @internal
@hidden.alias = weak hidden thread_local(localdynamic) unnamed_addr alias i32, ptr @tls
@gep.alias = alias i8, getelementptr inbounds (i8, ptr @private, i64 2)
@cast.alias = alias i32, addrspacecast (ptr addrspace(3) @space to ptr)
@external.alias = external alias i32, ptr @internal
@part.alias = alias i32, ptr @internal, partition "other"
@ifunc = dso_local ifunc i32 (i32), ptr @resolver
@ifunc.part = ifunc void (), ptr @resolver, partition "third"
@ifunc.kept = ifunc void (), ptr @resolver, partition "fourth", !kept !0, !kept !0

define internal ptr @resolver() {
  ret ptr @target
}

define i32 @target(i32 %x) {
  ret i32 %x
}

attributes #0 = { "bss-section"="my_bss" "key" }
!0 = !{ptr @internal}

; A variable may be called as an alias is spelled, and the other way round.
@alias.variable = global i32 0
@alias.of = constant ptr @global
@global = alias i32, ptr @alias.variable
@constant.alias = alias ptr, ptr @alias.of
