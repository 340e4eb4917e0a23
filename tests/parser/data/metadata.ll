; Metadata: strings, tuples, values, named and specialised nodes, attachments, debug records.
source_filename = "m.c"
@g = global i32 0, !dbg !30, !custom !{i32 1, !"x"}
declare !dbg !40 i32 @declared(i32)
define i32 @f(i32 %x, ptr %p) !dbg !10 !prof !3 {
    #dbg_value(i32 %x, !16, !DIExpression(), !20)
    #dbg_value(!DIArgList(i32 %x, i32 1, ptr @g), !16, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value), !20)
    #dbg_declare(ptr %p, !17, !DIExpression(DW_OP_plus_uconst, 8, DW_OP_LLVM_fragment, 0, 32), !20)
  %a = alloca i32, align 4, !DIAssignID !21
    #dbg_assign(i1 poison, !18, !DIExpression(), !21, ptr %a, !DIExpression(), !20)
    #dbg_value(!{}, !16, !DIExpression(), !20)
    #dbg_value(ptr null, !16, !DIExpression(DW_OP_constu, 18446744073709551615, DW_OP_LLVM_convert, 32, DW_ATE_signed), !DILocation(line: 3, column: 1, scope: !10))
    #dbg_label(!19, !20)
  %r = add i32 %x, 1, !dbg !20, !range.like !{i32 0, i32 10}, !annotation !{!"auto-init"}
  ret i32 %r, !dbg !DILocation(line: 4, column: 2, scope: !10, inlinedAt: !20, isImplicitCode: true)
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!5, !6}
!llvm.ident = !{!7}
!named.spaced = !{!99}
!named.empty = !{}
!with\20space = !{!3}
!inline.expression = !{!DIExpression(DW_OP_deref)}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, producer: "a \22compiler\22 \C3\A9", isOptimized: true, flags: "-O2", runtimeVersion: 0, splitDebugFilename: "x.dwo", emissionKind: FullDebug, enums: !8, globals: !9, splitDebugInlining: false, debugInfoForProfiling: true, nameTableKind: None, dwoId: 81985529216486895, macros: !35)
!1 = !DIFile(filename: "m.c", directory: "/tmp", checksumkind: CSK_MD5, checksum: "000102030405060708090a0b0c0d0e0f", source: "int g;\0A")
!2 = !{}
!3 = !{!"function_entry_count", i64 42}
!4 = distinct !{!4, null, !"\00\FF", i32 -1, float 1.0, ptr @f, i1 true, !{!2, !{}}, <2 x i32> <i32 1, i32 2>, [1 x i8] c"x", ptr null, { i32 } { i32 3 }}
!5 = !{i32 2, !"Debug Info Version", i32 3}
!6 = !{i32 1, !"wchar_size", i32 4}
!7 = !{!"compiler"}
!8 = !{!24}
!9 = !{!30}
!10 = distinct !DISubprogram(name: "f", linkageName: "_f", scope: !1, file: !1, line: 3, type: !11, scopeLine: 4, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, templateParams: !22, retainedNodes: !15, thrownTypes: !2, annotations: !33, targetFuncName: "t", virtualIndex: 0, thisAdjustment: 0)
!11 = !DISubroutineType(cc: DW_CC_normal, types: !12)
!12 = !{!13, !13, null}
!13 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!14 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !13, size: 64, dwarfAddressSpace: 1)
!15 = !{!16, !17, !18, !19}
!16 = !DILocalVariable(name: "x", arg: 1, scope: !10, file: !1, line: 3, type: !13)
!17 = !DILocalVariable(name: "p", arg: 2, scope: !10, file: !1, line: 3, type: !14, flags: DIFlagArtificial)
!18 = !DILocalVariable(name: "a", scope: !25, file: !1, line: 5, type: !13, align: 32)
!19 = !DILabel(scope: !10, name: "l", file: !1, line: 9)
!20 = !DILocation(line: 3, column: 11, scope: !10)
!21 = distinct !DIAssignID()
!22 = !{!23, !DITemplateValueParameter(name: "N", type: !13, defaulted: true, value: i32 3), !DITemplateValueParameter(tag: DW_TAG_GNU_template_template_param, name: "T", value: !"ns::T")}
!23 = !DITemplateTypeParameter(name: "T", type: !13)
!24 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "E", scope: !1, file: !1, line: 1, baseType: !13, size: 32, flags: DIFlagEnumClass, elements: !{!DIEnumerator(name: "A", value: -1), !DIEnumerator(name: "B", value: 4294967295, isUnsigned: true)}, identifier: "E")
!25 = distinct !DILexicalBlock(scope: !10, file: !1, line: 4, column: 3)
!26 = !DILexicalBlockFile(scope: !25, file: !1, discriminator: 2)
!27 = !DINamespace(name: "ns", scope: null, exportSymbols: true)
!28 = !DIModule(scope: null, name: "M", configMacros: "-D", includePath: ".", apinotes: "n", line: 4, isDecl: true)
!29 = distinct !DIGlobalVariable(name: "g", scope: !0, file: !1, line: 1, type: !13, isLocal: false, isDefinition: true, templateParams: !22, declaration: null, align: 8)
!30 = !DIGlobalVariableExpression(var: !29, expr: !DIExpression())
!31 = !DIImportedEntity(tag: DW_TAG_imported_module, scope: !0, entity: !27, file: !1, line: 8, name: "i", elements: !2)
!32 = !DIObjCProperty(name: "p", file: !1, line: 7, setter: "s", getter: "g", attributes: 7, type: !13)
!33 = !{!34}
!34 = !{!"btf_decl_tag", !"a"}
!35 = !{!36}
!36 = !DIMacroFile(line: 9, file: !1, nodes: !{!DIMacro(type: DW_MACINFO_define, line: 9, name: "G", value: "1")})
!37 = !DICompositeType(tag: DW_TAG_array_type, baseType: !13, elements: !{!DISubrange(count: 5, lowerBound: 0), !DISubrange(count: !16, lowerBound: -3), !DIGenericSubrange(lowerBound: !DIExpression(DW_OP_push_object_address), upperBound: !DIExpression(DW_OP_deref), stride: !DIExpression(DW_OP_lit4))}, dataLocation: !DIExpression(DW_OP_push_object_address, DW_OP_deref), rank: !DIExpression(DW_OP_lit1))
!38 = !DIStringType(name: "character(*)", stringLength: !16, size: 32)
!39 = !GenericDINode(tag: DW_TAG_entry_point, header: "some\00header", operands: {!1, null, !2})
!40 = !DISubprogram(name: "declared", scope: !1, file: !1, line: 1, type: !11, spFlags: 0)
!41 = !DICommonBlock(scope: !10, declaration: !29, name: "c", file: !1, line: 2)
!42 = !DIDerivedType(tag: DW_TAG_member, name: "b", scope: !24, baseType: !13, size: 3, offset: 5, flags: DIFlagBitField | DIFlagPublic, extraData: i64 0, ptrAuthKey: 2, ptrAuthIsAddressDiscriminated: true, ptrAuthExtraDiscriminator: 1234)
!99 = !{! "spaced", ! 2}
!43 = !DIBasicType(tag: DW_TAG_unspecified_type, name: "decltype(nullptr)")
!44 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "S", runtimeLang: DW_LANG_ObjC, vtableHolder: !44, discriminator: !42, elements: !2)
!45 = !{ptr @f, i32 ptrtoint (ptr @g to i32)}
